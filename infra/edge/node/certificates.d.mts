/** The operator's folder of certificates, brought into the file by which nginx gets them. */
export class Certificates {
  constructor(folder: string, store: string);
  /** Looks at once, and from then on every half second. @throws Error where the folder cannot be read */
  begin(): void;
  lookAgain(): void;
  /** @throws Error where the folder cannot be read */
  look(options?: { isSettled?: boolean }): void;
  end(): void;
}
