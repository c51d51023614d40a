/** Which processors the processes of a benchmark run on. */
import { execFileSync } from 'node:child_process'

/**
 * Runs `measure` while the servers share one processor and the clients have another: waking a process of another processor
 * takes twice as long, and the system puts one server with the clients and the other elsewhere as it likes.
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

/** Numbers of those that this process may run on. */
function processors(): string[] {
  const list = execFileSync('taskset', ['-p', '-c', String(process.pid)], { encoding: 'utf8' })
  return (list.split(': ')[1] ?? '').trim().split(',').flatMap(rangeOf)
}

/** `0-2` as taskset writes it. */
function rangeOf(text: string): string[] {
  const [first = 0, last = first] = text.split('-').map(Number)
  return Array.from({ length: last - first + 1 }, (_, i) => String(first + i))
}

function runOn(those: readonly string[], pid: number): void {
  execFileSync('taskset', ['-a', '-p', '-c', those.join(), String(pid)])
}
