/** Finds the child processes in which a service builds and proves scripts. */
import { execFileSync } from 'node:child_process'

/** Process ids of all of them, or of those of one service. A process that has ended and is a zombie is left out. */
export function jobProcesses(service?: number): number[] {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' }).split('\n')
  const hosts = lines.filter((line) => line.includes('job-host.ts'))
  const ids = hosts.map((line) => line.trim().split(/\s+/).map(Number))
  return ids.flatMap(([pid = 0, parent]) => (service === undefined || parent === service ? [pid] : []))
}
