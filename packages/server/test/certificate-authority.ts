/** Creates a certificate authority that no system trusts, and a certificate signed by it. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'

export type Certificate = {
  readonly key: Buffer
  /** The certificate, followed by the CA's certificate. */
  readonly chain: Buffer
  readonly caFile: string
}

/** `name` is a subject alternative name, such as `IP:127.0.0.1`. The files are written to `folder`. */
export function signCertificate(name: string, folder: string): Certificate {
  const file = (ending: string) => path.join(folder, ending)
  const make = (what: string, ...words: string[]) => {
    const key = ['-newkey', 'rsa:2048', '-nodes', '-keyout', file(`${what}.key`), '-out', file(`${what}.pem`)]
    execFileSync('openssl', ['req', '-x509', '-days', '1', ...key, ...words], { stdio: 'pipe' })
  }
  make('ca', '-subj', '/CN=An unknown CA')
  const signed = ['-CA', file('ca.pem'), '-CAkey', file('ca.key')]
  make('host', '-subj', '/CN=Signed by it', '-addext', `subjectAltName=${name}`, ...signed)
  const chain = Buffer.concat([readFileSync(file('host.pem')), readFileSync(file('ca.pem'))])
  return { key: readFileSync(file('host.key')), chain, caFile: file('ca.pem') }
}
