import {
  type V1ServerFunctionsListResponse,
  v1ServerFunctionsGet,
  v1ServerFunctionsList,
} from '@scriptward/sdk'
import { useQuery } from '@tanstack/react-query'
import { useCall } from '../../../queries/api.ts'

export type ListedFunction = V1ServerFunctionsListResponse['functions'][number]

export function useFunctions(scriptId: string) {
  const call = useCall()
  return useQuery({
    queryKey: ['script', scriptId, 'functions'],
    queryFn: async () =>
      (await v1ServerFunctionsList({ ...call, path: { script_id: scriptId } })).data.functions,
  })
}

/** Loads a function with its source. */
export function useFunction(scriptId: string, name: string) {
  const call = useCall()
  const path = { script_id: scriptId, function_name: name }
  return useQuery({
    queryKey: ['script', scriptId, 'function', name],
    queryFn: async () => (await v1ServerFunctionsGet({ ...call, path })).data.function,
  })
}
