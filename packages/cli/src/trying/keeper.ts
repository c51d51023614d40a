/**
 * Node loads this module into the temporary server before the server's program. It gives the server a folder, ends it when
 * the command that started it is gone, even if that was killed, and removes the folder whenever the server ends.
 */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { isMainThread } from 'node:worker_threads'

/** Another thread of the server may create a file while the folder is removed. */
const RETRIES = 5

// Node loads the module into the threads of the server, too.
if (isMainThread) keep()

/** Makes the folder the current one and sends its path to the command. */
function keep(): void {
  const folder = mkdtempSync(path.join(tmpdir(), 'scriptward-try-'))
  process.chdir(folder)
  process.once('exit', () => {
    remove(folder)
    // Exiting can deadlock (see `main.ts` of the server), and without the command, nobody would notice.
    if (!process.connected) process.kill(process.pid, 'SIGKILL')
  })
  process.once('disconnect', () => process.exit())
  // A terminal that is closed sends it to the command, too, which ends.
  process.on('SIGHUP', () => {})
  process.send?.(folder)
}

function remove(folder: string): void {
  // Windows doesn't remove a current folder.
  process.chdir(path.dirname(folder))
  rmSync(folder, { recursive: true, force: true, maxRetries: RETRIES })
}
