import {
  type V1ExecutorRulesGetResponse,
  type V1ExecutorsListResponse,
  v1ExecutorRulesEdit,
  v1ExecutorRulesGet,
  v1ExecutorsList,
} from '@scriptward/sdk'
import { useQuery } from '@tanstack/react-query'
import { useCall, useChange } from '../../../queries/api.ts'

export type Rules = V1ExecutorRulesGetResponse
export type Mode = Rules['mode']
export type Action = Rules['rules'][number]['action']
export type Known = V1ExecutorsListResponse['executors'][number]
export type GivenRules = Pick<Rules, 'mode' | 'rules'>

/** Maximum number of executor versions to load, newest first. */
const LISTED = 1000

export function useRules(script_id: string) {
  const call = useCall()
  return useQuery({
    queryKey: ['script', script_id, 'executor rules'],
    queryFn: async () => (await v1ExecutorRulesGet({ ...call, path: { script_id } })).data,
  })
}

export function useEditRules(script_id: string, onDone: () => void) {
  const call = useCall()
  return useChange(async (body: GivenRules) => {
    await v1ExecutorRulesEdit({ ...call, path: { script_id }, body })
    onDone()
  })
}

export function useKnownExecutors() {
  const call = useCall()
  return useQuery({
    queryKey: ['executors'],
    queryFn: async () => (await v1ExecutorsList({ ...call, query: { limit: LISTED } })).data.executors,
  })
}
