// Checks a license key: node check.mjs URL PROJECT KEY. Key checks must be enabled for the project
// (docs/checking-keys.md). The exit code is 0 for a valid key, 1 for a denied key, and 2 if there is no
// trustworthy response.
import { hostname } from 'node:os'
import { CheckError, checkKey, deviceComponent } from '../../packages/client/check/check.js'

const [, , service, projectId, key] = process.argv
const url = `${service}/client/v1`

// In a program that you ship, hard-code these keys. A proxy that replaces responses could also replace the
// keys.
const { keys } = await (await fetch(`${url}/keys`)).json()
const publicKeys = keys.map(({ ed25519 }) => ed25519)

try {
  // The first check binds the key to this device. In a distributed program, use something more stable than
  // the host name.
  const fingerprint = await deviceComponent(projectId, hostname())
  const { success, reason } = await checkKey({ url, projectId, publicKeys, key, fingerprint, claim: true })
  console.log(success ? 'Valid key' : `Denied: ${reason}`)
  process.exitCode = success ? 0 : 1
} catch (error) {
  if (!(error instanceof CheckError)) throw error
  // The API does not reveal to strangers whether a project exists.
  if (error.status === 404)
    console.error(`Project ${projectId} does not exist or does not allow key checks. Its owner can allow them with:
  scriptward projects edit ${projectId} --allow-checks on`)
  else console.error(`No trustworthy response: ${error.kind}`)
  process.exitCode = 2
}
