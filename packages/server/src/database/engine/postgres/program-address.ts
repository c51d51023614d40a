/**
 * Converts the database's URL for PostgreSQL's client programs, which interpret URLs differently from the
 * server's driver.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { getCACertificates } from 'node:tls'

export type ProgramAddress = {
  /** Doesn't contain the password, because other users of the machine can read command-line arguments. */
  readonly address: string
  readonly password: string | undefined
}

/** A URL with a user but no host refers to a socket. The `URL` class rejects it. */
const SOCKET = /(?<=^[^?]*)@\//
const PLACEHOLDER = '@socket/'

/** In these modes, the driver trusts Node's certificate authorities, but the programs trust none by default. */
const VERIFIED: readonly (string | null)[] = ['verify-full', 'verify-ca']

/** Resolves to the result of `use`. The address can name a temporary file, so it is valid only during the call. */
export async function withProgramAddress<T>(
  url: string,
  use: (place: ProgramAddress) => Promise<T>,
): Promise<T> {
  const parsed = new URL(url.replace(SOCKET, PLACEHOLDER))
  const { searchParams: given } = parsed
  const password = given.get('password') ?? decodeURIComponent(parsed.password)
  parsed.password = ''
  given.delete('password')
  given.delete('uselibpqcompat')
  if (given.get('sslmode') === 'no-verify') given.set('sslmode', 'require')
  const run = () => use({ address: addressOf(parsed, url), password: password === '' ? undefined : password })
  if (!VERIFIED.includes(given.get('sslmode')) || given.has('sslrootcert')) return run()
  const folder = await mkdtemp(path.join(tmpdir(), 'scriptward-authorities-'))
  try {
    const file = path.join(folder, 'authorities.pem')
    await writeFile(file, getCACertificates('default').join('\n'))
    given.set('sslrootcert', file)
    return await run()
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** The programs don't decode `+` as a space. */
function addressOf(parsed: URL, url: string): string {
  parsed.search = parsed.search.replaceAll('+', '%20')
  return SOCKET.test(url) ? parsed.href.replace(PLACEHOLDER, '@/') : parsed.href
}
