// Runs a loader on every host, against a server that changes the values available to the script.
import { expect, test } from 'vitest'
import type { Peer } from './peer.ts'
import { COMMANDS, runLoader, runLuau, TRANSPORTS } from './run-loader.ts'
import { withPeer } from './story.ts'

const PREPARED = COMMANDS.filter(({ missing }) => !missing).map(({ name }) => name)

/** Adds one test per host, which sets up the server, runs the script to its end and checks its output. */
export function testOnEveryHost(
  name: string,
  setScene: (peer: Peer) => void,
  look: (stdout: string) => void,
): void {
  const before = 'script_key = "KEY-1"'
  test.concurrent.each(PREPARED)(`${name}, in %s`, async (command) => {
    await withPeer(async (peer) => {
      setScene(peer)
      const { status, stdout, stderr } = await runLoader({
        ...{ command, text: peer.loader(), before, env: TRANSPORTS.curl },
      })
      expect({ status, stderr }).toMatchObject({ status: 0 })
      look(stdout)
    })
  })

  test.concurrent(`${name}, in Luau`, async () => {
    await withPeer(async (peer) => {
      setScene(peer)
      const outcome = await runLuau({ text: peer.loader(), before, live: true })
      expect(outcome).toMatchObject({ status: 0, stderr: '' })
      look(outcome.stdout)
    })
  })
}
