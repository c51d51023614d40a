/**
 * Reads the event stream of live sessions with `fetch`, because the session cookie requires a header that an
 * `EventSource` cannot send.
 */
import { v1ProjectSessionsEvents } from '@scriptward/sdk'
import type { Calling } from './api.ts'

type Watcher = {
  /** Called when the stream starts. Every later event is delivered. */
  readonly onBegin: () => void
  readonly onEvent: (type: string, session: unknown) => void
  /** Called when the connection was lost and will be retried. */
  readonly onLost: () => void
  /** Called when the request was rejected and will not be retried. */
  readonly onRefused: () => void
}

const AGAIN_MS = 3_000

/** The returned function stops watching. */
export function watchSessions(call: Calling, projectId: string, watcher: Watcher): () => void {
  const over = new AbortController()
  void watchUntil(over.signal, call, projectId, watcher)
  return () => over.abort()
}

async function watchUntil(signal: AbortSignal, call: Calling, projectId: string, watcher: Watcher) {
  while (!signal.aborted) {
    const isRefused = await readOnce(signal, call, projectId, watcher)
    if (signal.aborted) return
    if (isRefused) return watcher.onRefused()
    watcher.onLost()
    await new Promise((resolve) => setTimeout(resolve, AGAIN_MS))
  }
}

/** Reads until the stream ends, and returns whether the request was rejected. */
async function readOnce(signal: AbortSignal, call: Calling, projectId: string, watcher: Watcher) {
  let isRefused = false
  let hasBegun = false
  const { stream } = await v1ProjectSessionsEvents({
    ...call,
    path: { project_id: projectId },
    signal,
    sseMaxRetryAttempts: 1,
    onSseError: (error) => {
      isRefused = /SSE failed: 4/.test(String(error))
    },
    onSseEvent: ({ event, data }) => {
      // The first chunk is a comment, as are keep-alives.
      if (!hasBegun) watcher.onBegin()
      hasBegun = true
      if (event !== undefined) watcher.onEvent(event, data)
    },
  })
  for await (const _ of stream);
  return isRefused
}
