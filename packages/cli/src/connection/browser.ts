/** Opens an address in the browser of the person. */

import { spawn } from 'node:child_process'

type Env = Readonly<Record<string, string | undefined>>

/** `BROWSER` names another program, as elsewhere. False when none could be started. */
export function openBrowser(address: string, env: Env): Promise<boolean> {
  const [command = '', ...words] = commandFor(env)
  return new Promise((resolve) => {
    const child = spawn(command, [...words, address], { stdio: 'ignore', detached: true })
    child.once('error', () => resolve(false))
    child.once('spawn', () => {
      child.unref()
      resolve(true)
    })
  })
}

/** No shell stands between, so that no character of an address means anything to one. */
function commandFor({ BROWSER }: Env): string[] {
  if (BROWSER) return [BROWSER]
  if (process.platform === 'darwin') return ['open']
  if (process.platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler']
  return ['xdg-open']
}
