/** An error as AWS services respond with it: status 400 and a type that the SDK turns into the error's name. */
export class AwsError extends Error {
  readonly type: string;

  constructor(type: string, message: string) {
    super(message);
    this.type = type;
  }
}
