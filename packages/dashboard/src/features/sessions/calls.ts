/** Messages or ends live sessions: the selected sessions, or all that match the filters. */
import {
  v1ProjectSessionsDisconnectAll,
  v1ProjectSessionsMessageAll,
  v1SessionsDisconnectMany,
  v1SessionsMessageMany,
} from '@scriptward/sdk'
import type { Answer, Message } from '../../components/session-message.tsx'
import { useCall } from '../../queries/api.ts'
import type { Conditions } from './live.ts'

/** IDs of the selected sessions; omit `ids` to apply the call to all matching sessions. */
export type Target = {
  readonly ids?: readonly string[]
  readonly conditions: Conditions
  readonly count: number
}

/** Maximum number of IDs per call. */
const AT_ONCE = 1000

export function useSessionCalls(projectId: string) {
  const call = useCall()
  const path = { project_id: projectId }
  return {
    message: async ({ ids, conditions }: Target, message: Message): Promise<readonly Answer[]> => {
      if (ids === undefined)
        return (await v1ProjectSessionsMessageAll({ ...call, path, body: { ...conditions, ...message } }))
          .data.responses
      return inParts(ids, async (session_ids) => {
        const body = { session_ids: [...session_ids], ...message }
        return (await v1SessionsMessageMany({ ...call, body })).data.responses
      })
    },
    disconnect: async ({ ids, conditions }: Target): Promise<readonly Answer[]> => {
      if (ids === undefined)
        return (await v1ProjectSessionsDisconnectAll({ ...call, path, body: conditions })).data.responses
      return inParts(ids, async (session_ids) => {
        return (await v1SessionsDisconnectMany({ ...call, body: { session_ids: [...session_ids] } })).data
          .responses
      })
    },
  }
}

async function inParts(
  ids: readonly string[],
  ask: (part: readonly string[]) => Promise<readonly Answer[]>,
): Promise<readonly Answer[]> {
  const answers: Answer[] = []
  for (let start = 0; start < ids.length; start += AT_ONCE)
    answers.push(...(await ask(ids.slice(start, start + AT_ONCE))))
  return answers
}
