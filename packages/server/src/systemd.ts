/** Reports to systemd that the service is ready or stopping, for units with `Type=notify`. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'

/**
 * Node has no datagram sockets of Unix, so systemd's own program sends it. `environment` names the socket; without one the
 * service was started by something else, and nothing is sent. Resolves to why it could not be sent, or to nothing.
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
