/**
 * Preloaded into the temporary server. It creates the server's folder, stops the server when the command that
 * started it exits or is killed, and removes the folder when the server ends.
 */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { isMainThread } from 'node:worker_threads'

/**
 * Maximum number of attempts to delete the folder. Another thread of the server may create a file during the
 * deletion.
 */
const RETRIES = 5

// Node also loads this module into the server's worker threads.
if (isMainThread) keep()

/** Makes the folder the working directory and sends its path to the command. */
function keep(): void {
  const folder = mkdtempSync(path.join(tmpdir(), 'scriptward-try-'))
  process.chdir(folder)
  process.once('exit', () => {
    remove(folder)
    // Kills the process, because a normal exit can deadlock (see `main.ts` of the server) and the command is
    // no longer there to notice.
    if (!process.connected) process.kill(process.pid, 'SIGKILL')
  })
  process.once('disconnect', () => process.exit())
  // The signal is ignored: closing a terminal also signals the command, and the command's exit ends this
  // server.
  process.on('SIGHUP', () => {})
  process.send?.(folder)
}

function remove(folder: string): void {
  // Windows can't remove the working directory of a process.
  process.chdir(path.dirname(folder))
  rmSync(folder, { recursive: true, force: true, maxRetries: RETRIES })
}
