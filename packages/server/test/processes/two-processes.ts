/**
 * Starts two servers of one installation in this process, on one PostgreSQL database and one Valkey server.
 */
import type { Config } from '../../src/config/config.ts'
import { postgres } from '../databases.ts'
import { startServer, type TestServer } from '../harness.ts'
import { startValkey } from './valkey-server.ts'

export async function onTwoProcesses(
  run: (first: TestServer, second: TestServer) => Promise<void>,
  settings: Partial<Config> = {},
): Promise<void> {
  const valkey = await startValkey()
  const config: Partial<Config> = { ...settings, valkeyUrl: valkey.url }
  const first = await startServer(postgres, { config })
  const second = await startServer(postgres, { config, location: first.location })
  try {
    await run(first, second)
  } finally {
    await second.stop()
    await first.close()
    await valkey.remove()
  }
}
