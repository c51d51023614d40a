/** Creates an untrusted certificate for 127.0.0.1, and its key. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

export function makeCertificate(): { readonly key: Buffer; readonly cert: Buffer } {
  const folder = mkdtempSync(path.join(tmpdir(), 'scriptward-tls-'))
  const [key, cert] = [path.join(folder, 'key'), path.join(folder, 'cert')]
  const command = `req -x509 -newkey rsa:2048 -nodes -keyout ${key} -out ${cert} -days 1 -subj /CN=127.0.0.1`
  try {
    execFileSync('openssl', command.split(' '), { stdio: 'pipe' })
    return { key: readFileSync(key), cert: readFileSync(cert) }
  } finally {
    rmSync(folder, { recursive: true })
  }
}
