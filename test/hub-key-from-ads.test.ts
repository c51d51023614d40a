/**
 * Tests a script hub from a customer's first start to the next game: the window, the get-key page in a real
 * browser, the saved key, and another game's script. The browser and the executor share a clipboard.
 */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createSystem, sceneOn, WATCHING_MS } from '../packages/server/test/ads/scene.ts'
import { anyEngine } from '../packages/server/test/databases.ts'
import { createOwner, createScript } from '../packages/server/test/nouns.ts'
import { FARM, RACE, runInGame } from './hubs/game.ts'
import { openWindows } from './windows.ts'

/** Serves a clipboard at a URL: POST copies text, and GET waits for the text to paste. */
class Clipboard {
  readonly #copied = Promise.withResolvers<string>()
  readonly #pasted = Promise.withResolvers<string>()
  readonly #server = createServer(async (request, response) => {
    if (request.method === 'POST') this.#copied.resolve(await text(request))
    response.end(request.method === 'POST' ? '' : await this.#pasted.promise)
  })

  async listen(): Promise<void> {
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
  }

  close(): void {
    this.#server.closeAllConnections()
    this.#server.close()
  }

  copied(): Promise<string> {
    return this.#copied.promise
  }

  paste(key: string): void {
    this.#pasted.resolve(key)
  }

  /** Returns the clipboard functions of an executor. */
  asLua(): string {
    const url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
    return `function setclipboard(copied) request({ Url = '${url}', Method = 'POST', Body = copied }) end
      function getclipboard() return request({ Url = '${url}', Method = 'GET' }).Body end`
  }
}

describe.each(anyEngine)('a customer of a hub on $name', (engine) => {
  const at = sceneOn(engine)
  const browser = openWindows()
  const clipboard = new Clipboard()
  beforeAll(() => clipboard.listen())
  afterAll(() => clipboard.close())

  async function makeHub(): Promise<string> {
    const { owner, project } = await createOwner(at().server, {}, { name: 'Garden Hub' })
    await owner.post(`/v1/projects/${project}/edit`, { allow_checks: true })
    for (const [name, place] of Object.entries({ Farm: FARM, Race: RACE })) {
      const id = await createScript(owner, project, { name, script: `print("${name} runs")` })
      await owner.post(`/v1/scripts/${id}/edit`, { games: [place.game] })
    }
    await createSystem(at(), ['a'], { name: 'Free keys' }, { owner, project })
    return `loadstring(game:HttpGet("https://ward.example.com/client/v1/library?project=${project}"))().window()`
  }

  /** Completes the ad step in a browser, and returns the key. */
  async function earnKey(url: string): Promise<string> {
    const page = await (await browser.newContext({ locale: 'en-GB' })).newPage()
    await page.goto(url)
    await page.getByText('Your key will work on the device').waitFor()
    await page.getByRole('button', { name: 'Start' }).click()
    await page.getByRole('link', { name: /^Open/ }).click()
    await page.getByRole('heading', { name: 'An ad' }).waitFor()
    at().server.clock.now += WATCHING_MS
    await page.getByRole('button', { name: 'I have seen it' }).click()
    await page.getByRole('button', { name: 'Get my key' }).click()
    await page.getByRole('heading', { name: 'Here is your key' }).waitFor()
    return (await page.locator('#key').textContent()) ?? ''
  }

  it('gets a key from the ad page once, and then plays another game without being asked', async () => {
    const line = await makeHub()
    const hosts = { 'ward.example.com': at().server.url }
    const first = runInGame({
      ...{ place: FARM, hosts, line, before: clipboard.asLua() },
      lines: `press('Get key') print(said()) press('Paste') press('Check key') settle() print(shown() ~= nil)`,
    })
    clipboard.paste(await earnKey(await clipboard.copied()))
    const { stdout, files } = await first
    expect(stdout.split('\n')).toEqual([...[expect.stringContaining('copied'), 'Farm runs', 'false', '']])
    const next = await runInGame({ place: RACE, hosts, line, files, lines: 'print(shown() ~= nil)' })
    expect(next.stdout).toBe('Race runs\nfalse\n')
  })
})
