/**
 * Tests that the files in `deploy/` work on this machine: the unit's command, the proxies and their logs, and
 * the names of settings and metrics.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { readConfig, unknownSettings } from '../packages/server/src/config/config.ts'
import { until } from '../packages/server/test/patience.ts'
import { freePort } from '../packages/server/test/ports.ts'

const ROOT = path.dirname(import.meta.dirname)
const KEY = 'an-account-key-in-a-path'
const USER = 'a-user-key-in-a-path'
const read = (file: string) => readFileSync(path.join(ROOT, 'deploy', file), 'utf8')

let folder: string
let url: string
let service: ChildProcess
const children: ChildProcess[] = []
beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'scriptward-deploy-'))
  const unit = new Map(
    Array.from(read('scriptward.service').matchAll(/^(\w+)=(.*)$/gm), ([, a = '', b]) => [a, b]),
  )
  const [file = '', ...words] = unit.get('ExecStart')?.replace('/opt/scriptward/bin', ROOT).split(' ') ?? []
  // Stands in for the `.env` file in the unit's working directory. Variables set in this process take
  // precedence.
  // While the server is down, no other program may get its port.
  const port = await freePort()
  writeFileSync(
    path.join(folder, '.env'),
    `SCRIPTWARD_PORT=${port}\nSCRIPTWARD_ADMIN_KEY=${KEY}\nSCRIPTWARD_DATA_DIR=${folder}/data\n`,
  )
  service = run(file, words, { PATH: process.env.PATH })
  const said = outputOf(service)
  await until(() => said.out.includes('listens on'), 'the service does not listen')
  url = /listens on ([^\s"]+)/.exec(said.out)?.[1] ?? ''
})
afterAll(async () => {
  const running = children.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null)
  const ended = running.map((child) => once(child, 'exit'))
  for (const child of running) child.kill('SIGTERM')
  await Promise.all(ended)
  rmSync(folder, { recursive: true, force: true })
})

function run(file: string, words: readonly string[], env: NodeJS.ProcessEnv): ChildProcess {
  const child = spawn(file, words, { cwd: folder, env })
  children.push(child)
  return child
}

function outputOf(child: ChildProcess): { out: string; err: string } {
  const texts = { out: '', err: '' }
  child.stdout?.on('data', (chunk) => (texts.out += String(chunk)))
  child.stderr?.on('data', (chunk) => (texts.err += String(chunk)))
  return texts
}

/** Each request carries a secret in one of the places where the API accepts one. */
const REQUESTS = [
  `/customers/${KEY}/projects?token=${KEY}`,
  `/v1/users/${USER}`,
  `/users/${USER}?x=/${USER}`,
  `/me?key=${USER}`,
]

async function ask(proxy: string, status: (code: number) => boolean): Promise<void> {
  for (const where of REQUESTS) {
    const answer = await fetch(proxy + where, { headers: { token: KEY, cookie: `a=${KEY}` } })
    expect(status(answer.status), `${where}: ${answer.status}`).toBe(true)
  }
}

const isAnswered = (proxy: string) =>
  fetch(`${proxy}/healthz`).then(
    ({ ok }) => ok,
    () => false,
  )

async function startCaddy() {
  const port = await freePort()
  const config = read('Caddyfile')
    .replace('ward.example.org {', `http://127.0.0.1:${port} {`)
    .replace('{\n', '{\n\tadmin off\n')
  writeFileSync(path.join(folder, 'Caddyfile'), config)
  const env = { ...process.env, HOME: folder, XDG_DATA_HOME: folder, SCRIPTWARD_UPSTREAM: new URL(url).host }
  const words = ['run', '--adapter', 'caddyfile', '--config', path.join(folder, 'Caddyfile')]
  const said = outputOf(run('caddy', words, env))
  return { proxy: `http://127.0.0.1:${port}`, log: () => said.err }
}

async function startNginx() {
  const port = await freePort()
  mkdirSync(path.join(folder, 'nginx'))
  const server = read('nginx.conf')
    .replace('listen 443 ssl;', `listen 127.0.0.1:${port};`)
    .replace('listen [::]:443 ssl;', '')
    .replace(/ssl_certificate.*;/g, '')
    .replace('127.0.0.1:8080', new URL(url).host)
    .replaceAll('/var/log/nginx', path.join(folder, 'nginx'))
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (one) => `${one}_temp_path nginx/${one};`,
  )
  const main = `daemon off; pid nginx/pid; events {} http { ${temporary.join(' ')}\n${server} }`
  writeFileSync(path.join(folder, 'nginx.conf'), main)
  const said = outputOf(
    run(
      '/usr/sbin/nginx',
      ['-p', folder, '-e', 'stderr', '-c', path.join(folder, 'nginx.conf')],
      process.env,
    ),
  )
  const written = (name: string) => readFileSync(path.join(folder, 'nginx', name), 'utf8')
  return {
    proxy: `http://127.0.0.1:${port}`,
    log: () => said.err + written('scriptward.log') + written('scriptward-error.log'),
  }
}

it("the unit doesn't hide how much memory is available", () => {
  // Without /proc/meminfo, Node counts the system's cache for files as used.
  expect(read('scriptward.service')).not.toMatch(/^ProcSubset=/m)
})

it('Prometheus rules and the Grafana dashboard use only existing metrics', async () => {
  await fetch(`${url}/client/v1/keys`)
  const known = await (await fetch(`${url}/metrics`)).text()
  for (const file of ['alerts.yaml', 'grafana.json']) {
    const named = new Set(read(file).match(/\b(scriptward|nodejs|process)_[a-z_]+\b/g))
    expect(named.size).toBeGreaterThan(5)
    for (const name of named) expect(known, `${file}: ${name}`).toMatch(new RegExp(`^${name}[ {]`, 'm'))
  }
})

it('the unit counts as started once the server says that it is ready', () => {
  expect(read('scriptward.service')).toMatch(/^Type=notify$/m)
})

it('the compose files use only known settings', () => {
  for (const file of ['compose.yaml', 'compose.scale.yaml']) {
    const lines = Array.from(read(file).matchAll(/^\s+(SCRIPTWARD_\w+): (\S+)$/gm), ([, a = '', b = '']) => [
      a,
      b,
    ])
    const { SCRIPTWARD_UPSTREAM: _, ...given } = Object.fromEntries(lines) as Record<string, string>
    expect(unknownSettings(given)).toEqual([])
    const values = Object.entries(given).filter(([name]) => !name.endsWith('_FILE'))
    expect(values.length).toBeGreaterThan(0)
    readConfig(Object.fromEntries(values))
  }
})

it('no key, query or cookie appears in a log of Caddy or nginx, even while the server is down', async () => {
  const proxies = [await startCaddy(), await startNginx()]
  for (const { proxy } of proxies) {
    await expect.poll(() => isAnswered(proxy)).toBe(true)
    await ask(proxy, (status) => status < 500)
  }
  service.kill('SIGTERM')
  expect(await once(service, 'exit')).toEqual([0, null])
  for (const { proxy, log } of proxies) {
    await ask(proxy, (status) => status === 502)
    await expect.poll(() => log().match(/\b502\b/g)?.length).toBeGreaterThanOrEqual(REQUESTS.length)
    for (const shown of ['/customers/*', '/users/*', '/me']) expect(log()).toContain(shown)
    for (const secret of [KEY, USER]) expect(log()).not.toContain(secret)
  }
})
