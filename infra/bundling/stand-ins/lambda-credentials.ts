/**
 * Stands in for the SDK's chain of credential providers in the bundles: Lambda always gives them in the
 * environment, and the rest of the chain would double each bundle.
 */
export function defaultProvider() {
  return async () => {
    const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = process.env;
    if (!accessKeyId || !secretAccessKey) throw new Error('The environment holds no AWS credentials');
    return { accessKeyId, secretAccessKey, sessionToken: process.env.AWS_SESSION_TOKEN };
  };
}
