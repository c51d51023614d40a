/** Reports from a worker that runs a script in Luau. The output has a limit. */
import { MAX_OUTPUT } from './bounds.ts'

export type Report =
  /** Sent when Luau has loaded and the script is about to start. */
  | { readonly kind: 'start' }
  | { readonly kind: 'out' | 'warn' | 'error'; readonly text: string }
  /** `ms` is how long the script ran; undefined if its worker did not measure the time. */
  | { readonly kind: 'end'; readonly error: string | null; readonly ms?: number }
  | { readonly kind: 'too much' }

export const tell = (report: Report) => globalThis.postMessage(report)
let written = 0

export function emit(kind: 'out' | 'warn' | 'error', line: string): void {
  if (written > MAX_OUTPUT) return
  written += line.length + 1
  if (written > MAX_OUTPUT) tell({ kind: 'too much' })
  else tell({ kind, text: line })
}
