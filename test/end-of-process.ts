/** Vitest ends test processes with SIGTERM, which by default skips `exit` handlers that clean up files. */
let isOrderly = false

/** Makes SIGTERM run the `exit` handlers. */
export function endOrderly(): void {
  if (isOrderly) return
  isOrderly = true
  process.once('SIGTERM', () => process.exit())
}
