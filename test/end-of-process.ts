/** Vitest ends the processes of a run by SIGTERM, at which alone nothing that was left in files would be removed. */
let isOrderly = false

/** From now on, what listens to `exit` is called when the run ends this process. */
export function endOrderly(): void {
  if (isOrderly) return
  isOrderly = true
  process.once('SIGTERM', () => process.exit())
}
