import {
  isServiceError,
  type V1ObfuscatorOptionsResponse,
  type V1ProjectScriptsListResponse,
  type V1ScriptsGetResponse,
  type V1ScriptVersionsCompareResponse,
  type V1ScriptVersionsGetResponse,
  type V1ScriptVersionsListResponse,
  v1ObfuscatorOptions,
  v1ProjectScriptsList,
  v1ScriptsGet,
  v1ScriptVersionsCompare,
  v1ScriptVersionsGet,
  v1ScriptVersionsList,
  v1ScriptVersionsSource,
} from '@scriptward/sdk'
import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { useList } from '../../components/table/use-list.ts'
import { useCall } from '../../queries/api.ts'

export const WRITE = 'scripts:write'
export const SOURCE = 'scripts:source'

export type ListedScript = V1ProjectScriptsListResponse['scripts'][number]
export type Script = V1ScriptsGetResponse['script']
export type Version = V1ScriptVersionsListResponse['versions'][number]
export type Comparison = V1ScriptVersionsCompareResponse
export type ServerCode = V1ScriptVersionsGetResponse['version']['server_code'][number]
export type OptionList = V1ObfuscatorOptionsResponse
export type Options = Readonly<Record<string, string | number | boolean>>

const PAGE = 50
/** The maximum number of scripts per request. Searching and sorting require all scripts. */
export const MAX_SCRIPTS = 1000

export function useScripts(projectId: string) {
  const call = useCall()
  return useList(['scripts', projectId], async (after) => {
    const query = { limit: MAX_SCRIPTS, order: 'newest' as const, ...(after === undefined ? {} : { after }) }
    const { data } = await v1ProjectScriptsList({ ...call, path: { project_id: projectId }, query })
    return { rows: data.scripts, next: data.next, total: data.total }
  })
}

export function useScript(scriptId: string) {
  const call = useCall()
  return useQuery({
    queryKey: ['script', scriptId],
    queryFn: async () => (await v1ScriptsGet({ ...call, path: { script_id: scriptId } })).data.script,
  })
}

export function useVersions(scriptId: string) {
  const call = useCall()
  return useList(['script', scriptId, 'versions'], async (after) => {
    const query = { limit: PAGE, order: 'newest' as const, ...(after === undefined ? {} : { after }) }
    const { data } = await v1ScriptVersionsList({ ...call, path: { script_id: scriptId }, query })
    return { rows: data.versions, next: data.next, total: data.total }
  })
}

/** Loads further pages until they contain version `n` and the one before it. */
export function useVersionsFrom(scriptId: string, n: number) {
  const list = useVersions(scriptId)
  const { query, rows, more } = list
  const isPart = !rows.some(({ version }) => version < Math.max(n, 2))
  useEffect(() => {
    if (isPart && !query.isError && more?.isLoading === false) more.load()
  }, [isPart, query.isError, more])
  return list
}

/** Versions are immutable, except for their counts, their notes, and whether they are live or yanked. */
export function useVersion(scriptId: string, n: number) {
  const call = useCall()
  return useQuery({
    queryKey: ['script', scriptId, 'version', n],
    queryFn: async () =>
      (await v1ScriptVersionsGet({ ...call, path: { script_id: scriptId, n } })).data.version,
  })
}

/**
 * Sources never change, and every read is recorded in the audit log. Other queries are refetched after every
 * change; these are fetched only once per page load.
 */
const ONCE = { staleTime: 'static', gcTime: Number.POSITIVE_INFINITY } as const

/** Loads the source with all files. */
export function useUpload(scriptId: string, n: number) {
  const call = useCall()
  return useQuery({
    queryKey: ['script', scriptId, 'source', n],
    queryFn: async () => (await v1ScriptVersionsSource({ ...call, path: { script_id: scriptId, n } })).data,
    ...ONCE,
  })
}

/** Compares two versions on the server, the older one first. */
export function useComparison(scriptId: string, before: number, after: number, enabled = true) {
  const call = useCall()
  const path = { script_id: scriptId, n: after }
  return useQuery({
    queryKey: ['script', scriptId, 'comparison', before, after],
    queryFn: async () => (await v1ScriptVersionsCompare({ ...call, path, query: { with: before } })).data,
    ...ONCE,
    enabled,
  })
}

export function useOptionList() {
  const call = useCall()
  return useQuery({
    queryKey: ['obfuscator options'],
    queryFn: async () => (await v1ObfuscatorOptions(call)).data,
    staleTime: Number.POSITIVE_INFINITY,
  })
}

export function isGone(error: unknown): boolean {
  return isServiceError(error) && error.status === 404
}
