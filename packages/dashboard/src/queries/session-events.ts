/**
 * The event stream of a project's sessions. It is read by `fetch`, because the cookie of a sign-in counts only with a header,
 * which an `EventSource` cannot send.
 */
import { v1ProjectSessionsEvents } from '@scriptward/sdk'
import type { Calling } from './api.ts'

type Watcher = {
  /** The stream has begun: what happens from now on follows. */
  readonly onBegin: () => void
  readonly onEvent: (type: string, session: unknown) => void
  /** It broke off, and is asked for again. */
  readonly onLost: () => void
  /** It was refused, and is not asked for again. */
  readonly onRefused: () => void
}

const AGAIN_MS = 3_000

/** Answers what ends it. */
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

/** Until the stream ends; whether the service refused it. */
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
      // The first text is a comment, and so is what keeps the stream alive.
      if (!hasBegun) watcher.onBegin()
      hasBegun = true
      if (event !== undefined) watcher.onEvent(event, data)
    },
  })
  for await (const _ of stream);
  return isRefused
}
