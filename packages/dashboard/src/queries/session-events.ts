/**
 * Reads the event stream of live sessions with `fetch`, because an `EventSource` can't send the header that
 * the session cookie requires.
 */
import { v1ProjectSessionsEvents } from '@scriptward/sdk'
import type { Calling } from './api.ts'

type Watcher = {
  /** Called when the stream starts. From then on, every event is delivered. */
  readonly onBegin: () => void
  readonly onEvent: (type: string, session: unknown) => void
  /** Called when the connection is lost. The connection is then retried. */
  readonly onLost: () => void
  /** Called when the request is rejected. The request is not retried. */
  readonly onRefused: () => void
}

const AGAIN_MS = 3_000

/** Returns a function that stops watching. */
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

/** Reads until the stream ends. Returns whether the request was rejected. */
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
      // The stream starts with a comment, so the first chunk shows that it has started. Keep-alives are
      // comments too.
      if (!hasBegun) watcher.onBegin()
      hasBegun = true
      if (event !== undefined) watcher.onEvent(event, data)
    },
  })
  for await (const _ of stream);
  return isRefused
}
