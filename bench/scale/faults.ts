/** Defines the failures that the endurance test causes in turn, and how to recover from each failure. */
import { setTimeout as wait } from 'node:timers/promises'
import type { Deployment } from './deployment.ts'

export type Fault = { readonly name: string; cause(service: Deployment): Promise<void> }

const PROCESS_AWAY_MS = 10_000
const VALKEY_AWAY_MS = 30_000
/** Time that an operator or a watchdog takes to declare the primary lost. */
const DECISION_MS = 10_000

export const FAULTS: readonly Fault[] = [
  {
    name: 'one of three processes killed',
    async cause(service) {
      await service.processes[0]?.kill()
      await wait(PROCESS_AWAY_MS)
      await service.startAgain(0)
    },
  },
  {
    name: 'Valkey away for 30 s',
    async cause({ valkey }) {
      await valkey.kill()
      await wait(VALKEY_AWAY_MS)
      await valkey.start()
    },
  },
  { name: 'PostgreSQL restarted', cause: ({ databases }) => databases.restart() },
  {
    name: 'primary lost, standby promoted after 10 s',
    async cause({ databases }) {
      await databases.kill()
      await wait(DECISION_MS)
      await databases.promote()
      databases.leadToStandby()
    },
  },
]
