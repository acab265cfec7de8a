/** Stands in for the SDK's look at ~/.aws/config and ~/.aws/credentials, which Lambda has not: the next source is asked. */
export function fromSharedConfigFiles() {
  return async (): Promise<never> => {
    throw Object.assign(new Error('There are no configuration files in Lambda'), { tryNextLink: true });
  };
}
