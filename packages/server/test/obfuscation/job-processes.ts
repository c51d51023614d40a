/** Finds the child processes in which a service builds and proves scripts. */
import { readdirSync, readFileSync } from 'node:fs'

/** Process ids of all of them, or of those of one service. A process that has ended and is a zombie is left out. */
export function jobProcesses(service?: number): number[] {
  const ids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  const hosts = ids.filter((id) => read(id, 'cmdline').includes('job-host.ts'))
  return hosts.filter((id) => service === undefined || parentOf(id) === service).map(Number)
}

function parentOf(id: string): number {
  return Number(/^PPid:\s+(\d+)/m.exec(read(id, 'status'))?.[1])
}

/** Empty when the process has ended meanwhile. */
function read(id: string, file: 'cmdline' | 'status'): string {
  try {
    return readFileSync(`/proc/${id}/${file}`, 'utf8')
  } catch {
    return ''
  }
}
