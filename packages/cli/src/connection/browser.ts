/** Opens a URL in the user's browser. */

import { spawn } from 'node:child_process'

type Env = Readonly<Record<string, string | undefined>>

/** Honors the `BROWSER` environment variable. Resolves to false if no browser could be started. */
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

/** Starts the browser without a shell, because a shell could interpret characters in the URL. */
function commandFor({ BROWSER }: Env): string[] {
  if (BROWSER) return [BROWSER]
  if (process.platform === 'darwin') return ['open']
  if (process.platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler']
  return ['xdg-open']
}
