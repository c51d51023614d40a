// Asks a service whether a key is good: node check.mjs URL PROJECT KEY. The project has to allow it
// (docs/checking-keys.md). Exits with 0 for a good key, 1 for a denied one, 2 when there is no answer that can be believed.
import { hostname } from 'node:os'
import { CheckError, checkKey, deviceComponent } from '../../packages/client/check/check.js'

const [, , service, projectId, key] = process.argv
const url = `${service}/client/v1`

// A program that you ship has these keys written into it: a proxy that replaces answers could replace this one too.
const { keys } = await (await fetch(`${url}/keys`)).json()
const publicKeys = keys.map(({ ed25519 }) => ed25519)

try {
  // The first check binds the key to this device; a program for many systems takes something steadier than the host's name.
  const fingerprint = await deviceComponent(projectId, hostname())
  const { success, reason } = await checkKey({ url, projectId, publicKeys, key, fingerprint, claim: true })
  console.log(success ? 'the key is good' : `denied: ${reason}`)
  process.exitCode = success ? 0 : 1
} catch (error) {
  if (!(error instanceof CheckError)) throw error
  // The service tells strangers no more: whether a project exists is none of their business.
  if (error.status === 404)
    console.error(`project ${projectId} is unknown, or allows no checks; its owner allows them with:
  scriptward projects edit ${projectId} --allow-checks on`)
  else console.error(`no answer that can be believed: ${error.kind}`)
  process.exitCode = 2
}
