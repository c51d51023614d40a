/**
 * Names of the SDK's methods, which the SDK's generator, the reference and the dashboard read from the
 * document.
 */
import type { Endpoint } from '../api/endpoint.ts'

type Named = Pick<Endpoint, 'name' | 'path' | 'auth' | 'produces'>

/**
 * `v1.projectUsers.create` is `users.create`, because everything belongs to a project, and
 * `v1.userDevices.list` is `users.devices.list`. A name without a verb gets one: `v1.me` is `me.get`. The
 * class has no methods for auth pages, streams or unversioned paths.
 */
export function sdkMethodOf({ name, path, auth, produces }: Named): string | undefined {
  if (!/^\/v1\/(?!auth\/)/.test(path) || auth === 'person' || produces === 'events') return undefined
  const method = name
    .replace(/^v1\./, '')
    .replace(/^project([A-Z])/, (_, letter: string) => letter.toLowerCase())
    .replace(
      /^(user|script)([A-Z])/,
      (_, owner: string, letter: string) => `${owner}s.${letter.toLowerCase()}`,
    )
  return method.includes('.') ? method : `${method}.get`
}
