/** Runs nginx in front of several processes, configured by `deploy/nginx.conf`. */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { freePort } from '../../packages/server/test/ports.ts'
import { stop } from '../served.ts'

export type FrontProxy = { readonly url: string; readonly pid: number; stop(): Promise<void> }

const CONFIG = path.join(import.meta.dirname, '../../deploy/nginx.conf')
const NGINX = '/usr/sbin/nginx'
/** A worker can open about 20,000 files if root cannot raise the limit, and a session needs two. */
const WORKERS = 4
const FILES_EACH = 19_000
const TEMPORARY = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']

export async function startProxy(folder: string, places: readonly string[]): Promise<FrontProxy> {
  const port = await freePort()
  mkdirSync(path.join(folder, 'nginx'))
  writeFileSync(path.join(folder, 'nginx.conf'), mainOf(serverOf(folder, port, places)))
  const words = ['-p', folder, '-e', 'stderr', '-c', path.join(folder, 'nginx.conf')]
  const child = spawn(NGINX, words, { stdio: 'ignore' })
  const url = `http://127.0.0.1:${port}`
  await untilAnswers(url, child)
  return { url, pid: child.pid ?? 0, stop: () => stop(child) }
}

/** Omits TLS, because in production the proxy runs on its own machine and bears the cost. */
function serverOf(folder: string, port: number, places: readonly string[]): string {
  return readFileSync(CONFIG, 'utf8')
    .replace('listen 443 ssl;', `listen 127.0.0.1:${port} reuseport backlog=4096;`)
    .replace('listen [::]:443 ssl;', '')
    .replace(/ssl_certificate.*;/g, '')
    .replace('server 127.0.0.1:8080;', places.map((place) => `server ${place};`).join(' '))
    .replaceAll('/var/log/nginx', path.join(folder, 'nginx'))
}

function mainOf(server: string): string {
  const temporary = TEMPORARY.map((one) => `${one}_temp_path nginx/${one};`).join(' ')
  return `daemon off; pid nginx/pid; worker_processes ${WORKERS}; worker_rlimit_nofile ${FILES_EACH};
events { worker_connections ${FILES_EACH - 500}; }
http { ${temporary} keepalive_timeout 600s; ${server} }`
}

async function untilAnswers(url: string, child: ChildProcess): Promise<void> {
  while (child.exitCode === null) {
    const isUp = await fetch(`${url}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    )
    if (isUp) return
    await wait(20)
  }
  throw new Error('nginx did not start')
}
