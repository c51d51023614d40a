/** Notifies systemd that the server is ready or stopping, for units with `Type=notify`. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'

/**
 * Node doesn't support Unix datagram sockets, so `systemd-notify` sends the message. `environment` contains
 * the socket's name. Without one, the server wasn't started by systemd, and nothing is sent. Resolves to the
 * reason if the message couldn't be sent.
 */
export async function notifySystemd(
  state: 'READY=1' | 'STOPPING=1',
  environment: NodeJS.ProcessEnv,
): Promise<string | undefined> {
  if (!environment.NOTIFY_SOCKET) return undefined
  const notify = spawn('systemd-notify', [state], { stdio: 'ignore', env: environment })
  try {
    const [code] = await once(notify, 'exit')
    return code === 0 ? undefined : `systemd-notify ended with ${code}`
  } catch (error) {
    return `systemd-notify cannot be run: ${(error as Error).message}`
  }
}
