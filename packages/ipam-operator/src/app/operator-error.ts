import type { InputErrors } from '@static-ip/shell';

/** What this package refuses, as a closed list. */
export type OperatorErrorCode =
  /** The provider's module cannot be loaded, or exports no provider. Exit code 2. */
  | 'providerUnusable'
  /** Nothing was drained, or not all: another operator acts, or this process was told to stop. Exit code 1. */
  | 'notDrained';

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
