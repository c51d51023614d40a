/** How a check ends: with its complaints and exit code 1, or with one line that says what holds. */
export function report(whatHolds: string, complaints: readonly string[]): void {
  for (const complaint of complaints) process.stderr.write(`${complaint}\n`)
  if (complaints.length === 0) process.stdout.write(`${whatHolds}\n`)
  process.exitCode = complaints.length === 0 ? 0 : 1
}
