/**
 * No credential is shorter than this, and redacting a short string such as a version's "1" would make stack
 * traces unreadable.
 */
const MIN_SECRET_LENGTH = 8

/** Returns the text with these strings redacted, for logging. */
export function withoutSecrets(text: string, secrets: readonly (string | undefined)[]): string {
  return secrets
    .filter((secret) => secret !== undefined)
    .filter((secret) => secret.length >= MIN_SECRET_LENGTH)
    .reduce((clean, secret) => clean.replaceAll(secret, '[removed]'), text)
}
