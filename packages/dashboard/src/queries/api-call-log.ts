/**
 * Records the page's latest API calls for the "API call" button. Authentication calls are left out, because
 * they contain secrets.
 */
import { createContext, useContext, useSyncExternalStore } from 'react'

export type Call = {
  readonly id: number
  readonly method: string
  /** Path with query, such as `/v1/projects?limit=50`. */
  readonly path: string
  /** Body as JSON; empty if the request has no body. */
  readonly body: string
}

const MOST = 20
/** Maximum number of bytes to record per body. Nobody copies an 8 MB script. */
const MAX_BODY_LENGTH = 4000

export class CallLog {
  private calls: readonly Call[] = []
  private made = 0
  private readonly listeners = new Set<() => void>()

  async add(request: Request): Promise<void> {
    const { pathname, search } = new URL(request.url)
    if (pathname.startsWith('/v1/auth/') || pathname === '/v1/me' || pathname === '/v1/scopes') return
    const path = pathname + search
    const body = await beginningOf(request)
    const others = this.calls.filter((call) => call.path !== path || call.method !== request.method)
    this.made += 1
    this.set([{ id: this.made, method: request.method, path, body }, ...others].slice(0, MOST))
  }

  clear(): void {
    this.set([])
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  readonly read = (): readonly Call[] => this.calls

  private set(calls: readonly Call[]): void {
    this.calls = calls
    for (const listener of this.listeners) listener()
  }
}

export const CallsContext = createContext(new CallLog())

export function useCalls(): readonly Call[] {
  const log = useContext(CallsContext)
  return useSyncExternalStore(log.subscribe, log.read)
}

/** Reads only the first chunk, because the body of an import may be many megabytes. */
async function beginningOf(request: Request): Promise<string> {
  const reader = request.clone().body?.getReader()
  if (reader === undefined) return ''
  const { value } = await reader.read()
  void reader.cancel()
  const body = new TextDecoder().decode(value?.subarray(0, MAX_BODY_LENGTH))
  return (value?.length ?? 0) > MAX_BODY_LENGTH ? `${body}…` : body
}
