/** Finds the child processes in which a server builds and tests scripts. */
import { readdirSync, readFileSync } from 'node:fs'

/** Returns the IDs of all such processes, or of those that belong to one server. Zombies are excluded. */
export function jobProcesses(service?: number): number[] {
  const ids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  const hosts = ids.filter((id) => read(id, 'cmdline').includes('job-host.'))
  return hosts.filter((id) => service === undefined || parentOf(id) === service).map(Number)
}

function parentOf(id: string): number {
  return Number(/^PPid:\s+(\d+)/m.exec(read(id, 'status'))?.[1])
}

/** Empty if the process has ended in the meantime. */
function read(id: string, file: 'cmdline' | 'status'): string {
  try {
    return readFileSync(`/proc/${id}/${file}`, 'utf8')
  } catch {
    return ''
  }
}
