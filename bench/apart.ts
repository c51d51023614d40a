/** Pins the processes of a benchmark to CPUs. */
import { execFileSync } from 'node:child_process'

/**
 * Runs `measure` with the servers pinned to one CPU and the clients to another. Otherwise, the scheduler
 * might place them differently in each run, and waking a process on another CPU takes twice as long.
 */
export async function apart<T>(
  servers: readonly { readonly pid: number }[],
  measure: () => Promise<T>,
): Promise<T> {
  const [first = '', ...others] = processors()
  for (const { pid } of servers) runOn([first], pid)
  runOn(others.length > 0 ? others : [first], process.pid)
  try {
    return await measure()
  } finally {
    for (const { pid } of [...servers, process]) runOn([first, ...others], pid)
  }
}

/** Returns the numbers of the CPUs that this process may use. */
function processors(): string[] {
  const list = execFileSync('taskset', ['-p', '-c', String(process.pid)], { encoding: 'utf8' })
  return (list.split(': ')[1] ?? '').trim().split(',').flatMap(rangeOf)
}

/** Expands a range such as `0-2` in taskset's format. */
function rangeOf(text: string): string[] {
  const [first = 0, last = first] = text.split('-').map(Number)
  return Array.from({ length: last - first + 1 }, (_, i) => String(first + i))
}

function runOn(those: readonly string[], pid: number): void {
  execFileSync('taskset', ['-a', '-p', '-c', those.join(), String(pid)])
}
