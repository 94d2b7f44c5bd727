/**
 * An answer of EC2 that is an error. Codes and statuses: https://docs.aws.amazon.com/AWSEC2/latest/APIReference/errors-overview.html
 */
export class Ec2Error extends Error {
  override readonly name = 'Ec2Error';
  readonly code: string;
  /** The HTTP status. */
  readonly status: number;

  constructor(code: string, message: string, status = 400) {
    super(message);
    this.code = code;
    this.status = status;
  }
}
