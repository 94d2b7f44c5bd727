import type { InputErrors } from '@static-ip/shell';

/** The one code of this package, with the exit code 2: the provider's module cannot be loaded, or exports no provider. */
export type OperatorErrorCode = 'providerUnusable';

interface ErrorDetails {
  readonly cause?: unknown;
  /** Names and values, for logs. */
  readonly fields?: Readonly<Record<string, string>>;
}

/** The one error class of this package. Its message is complete: it is what a person reads on the terminal. */
export class OperatorError extends Error {
  override readonly name = 'OperatorError';
  readonly code: OperatorErrorCode;
  readonly fields: Readonly<Record<string, string>>;

  constructor(code: OperatorErrorCode, message: string, details: ErrorDetails = {}) {
    super(message, 'cause' in details ? { cause: details.cause } : undefined);
    this.code = code;
    this.fields = details.fields ?? {};
  }
}

/** What ends the operator with 2, as another try makes no sense before the input was changed. */
export const INPUT_ERRORS: InputErrors = {
  OperatorError: ['providerUnusable'],
  KubeError: ['config'],
  StaticIpError: ['invalid'],
};
