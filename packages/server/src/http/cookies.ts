/** Cookies as in RFC 6265 whose names have the prefix, without it; of two with one name the first, which has the longer path. */
export function readCookies(header: string | undefined, prefix: string): Readonly<Record<string, string>> {
  const cookies: Record<string, string> = Object.create(null)
  for (const pair of (header ?? '').split(';')) {
    const at = pair.indexOf('=')
    const name = pair.slice(0, Math.max(0, at)).trim()
    if (name.startsWith(prefix) && name !== prefix)
      cookies[name.slice(prefix.length)] ??= pair.slice(at + 1).trim()
  }
  return cookies
}
