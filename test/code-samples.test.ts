/**
 * Tests the code samples in the API reference. All of them must be valid, and some in each language run
 * against a separate server process, the way a reader would run them.
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { parseSync } from 'oxc-parser'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ADMIN_KEY, type Served, serve } from '../bench/served.ts'
import { Scriptward } from '../packages/sdk/src/index.ts'
import { endpoints } from '../packages/server/src/endpoints.ts'
import { describeApi } from '../packages/server/src/reference/openapi.ts'
import { programOf } from '../packages/server/test/programs.ts'

const ROOT = path.join(import.meta.dirname, '..')

type Operation = { readonly name: string; readonly 'x-sdk-method'?: string }
type Sample = { readonly lang: string; readonly source: string }
type Page = {
  resolved(document: object): object
  operationsOf(document: object): Operation[]
  codeSamples(operation: Operation, address: string): Sample[]
}
/** Loads a module from the API reference. These modules have no types. */
const module = (name: string) => import(path.join(ROOT, 'packages', 'server', 'pages', 'docs', name))
const page: Page = { ...(await module('document.js')), ...(await module('code-samples.js')) }

const EXAMPLE = 'https://ward.example.com'
const operations = page.operationsOf(page.resolved(JSON.parse(JSON.stringify(describeApi(endpoints, '0')))))
const COMMANDS: Readonly<Record<string, readonly string[]>> = {
  shell: ['sh', '-c'],
  javascript: ['node', '--input-type=module', '-e'],
  lua: ['lua5.1', '-e'],
  python: ['/usr/bin/python3', '-c'],
}
const languages = Object.keys(COMMANDS)
const asked = [
  'v1.me',
  'v1.tiers.list',
  'v1.projects.create',
  'v1.projectUsers.create',
  'v1.projectUsers.filter',
]
const PROJECT = /prj_\w+/g
const PLAN = /pln_\w+/g

let folder = ''
let served: Served
beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'scriptward-samples-'))
  served = await serve(path.join(folder, 'data'), {}, programOf('service'))
})
afterAll(async () => {
  await served?.stop()
  rmSync(folder, { recursive: true })
})

const sourceOf = (name: string, language: string, address: string) => {
  const operation = operations.find((one) => one.name === name)
  if (!operation) throw new Error(`there is no operation ${name}`)
  return page.codeSamples(operation, address).find(({ lang }) => lang === language)?.source ?? ''
}

async function run([command = '', ...words]: readonly string[], source: string) {
  const env = { ...process.env, SCRIPTWARD_TOKEN: ADMIN_KEY }
  const child = spawn(command, [...words, source], { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'pipe'] })
  const closed = new Promise((resolve) => child.once('close', resolve))
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)])
  return { status: await closed, stdout, stderr }
}

describe.each(languages)('code samples in %s', (language) => {
  const command = COMMANDS[language] ?? []

  it('run against a real server and print its response', async () => {
    const headers = { token: ADMIN_KEY, 'content-type': 'application/json' }
    const body = JSON.stringify({ name: 'For samples' })
    const make = async (what: string) =>
      (await fetch(`${served.url}/v1/${what}/new`, { method: 'POST', headers, body })).json()
    const { project_id } = (await make('projects')) as { project_id: string }
    const { plan_id } = (await make(`projects/${project_id}/plans`)) as { plan_id: string }
    for (const name of asked) {
      const sample = sourceOf(name, language, served.url)
      const source = sample.replace(PROJECT, project_id).replace(PLAN, plan_id)
      const { status, stdout, stderr } = await run(command, source)
      expect([name, status, stdout, stderr]).toEqual([
        name,
        0,
        expect.stringMatching(/success\W+true/i),
        expect.anything(),
      ])
    }
  })

  it('are all valid', async () => {
    const sources = operations.map(({ name }) => sourceOf(name, language, EXAMPLE))
    expect(await complaintsAbout(language, sources)).toEqual([])
  })
})

it.each(operations)('the samples of $name have no unreplaced placeholder', (operation) => {
  const samples = page.codeSamples(operation, EXAMPLE)
  expect(samples.map(({ lang }) => lang)).toEqual(languages)
  for (const { source } of samples) {
    expect(source).toContain(EXAMPLE)
    expect(source).not.toMatch(/undefined|\[object|:\w+_id\b|\{\w+_id\}/)
  }
})

it('the samples call only methods that the SDK has', () => {
  const scriptward = new Scriptward({ url: EXAMPLE })
  const found = (method: string) =>
    method.split('.').reduce<unknown>((one, name) => (one as Record<string, unknown>)[name], scriptward)
  const methods = operations.flatMap((one) => one['x-sdk-method'] ?? [])
  expect(methods.length).toBeGreaterThan(100)
  for (const method of methods) expect([method, typeof found(method)]).toEqual([method, 'function'])
})

async function complaintsAbout(language: string, sources: readonly string[]): Promise<string[]> {
  if (language === 'javascript')
    return sources.flatMap((one) =>
      parseSync('sample.mjs', one).errors.map(({ message }) => `${message}: ${one}`),
    )
  const file = path.join(folder, `${language}.json`)
  const separator = '\u0001'
  writeFileSync(file, sources.join(separator))
  const { stdout, stderr } = await run(
    COMMANDS[language] ?? [],
    CHECKS[language]?.(file) ?? 'nothing checks these',
  )
  return [stdout, stderr].filter((one) => one !== '')
}

/** Commands that print the errors in a file, by language. */
const CHECKS: Readonly<Record<string, (file: string) => string>> = {
  shell: (file) => `tr '\\001' '\\n' < '${file}' | sh -n`,
  lua: (file) => `for one in io.open('${file}'):read('*a'):gmatch('[^\\1]+') do
    local made, why = loadstring(one)
    if not made then print(why, one) end
  end`,
  python: (file) => `for one in open('${file}', encoding='utf-8').read().split('\\x01'):
    try: compile(one, 'sample', 'exec')
    except SyntaxError as why: print(why, one)`,
}
