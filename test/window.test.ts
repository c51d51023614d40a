/** Tests the key window of script hubs in Luau with a mock of Instances, and on a terminal. */
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { libraryCore, renderLibrary } from '../packages/client/src/bundle.ts'
import { type DenialReason, denial } from '../packages/client/src/messages.ts'
import { LibraryPeer, ST, VALID } from '../packages/client/test/library-peer.ts'
import { linesOf, runHub } from '../packages/client/test/run-library.ts'
import { LANGUAGES } from '../packages/server/src/pages/language.ts'
import { onScreen, type WindowRun, windowOf } from './window.ts'

const FILE = 'scriptward-key-prj_test.txt'
const KIB = 1024
const CHECK = 'POST /library/check'
const WINDOW = 'GET /library/window?project=prj_test&lang=de'
const SCRIPT = 'GET /hub/prj_test?place=77&game=5&rt=luau&lang=de&cache=write'

const peer = new LibraryPeer()
beforeAll(() => peer.listen())
afterAll(() => peer.close())
beforeEach(() => {
  peer.reset()
  peer.pages = { '/hub/prj_test': 'print("ran with " .. script_key)' }
  peer.decide = ({ key }) => ANSWERS[key] ?? VALID
})

const denied = (reason: DenialReason, more: object = {}) => ({
  ...{ ...VALID, ...denial(reason), success: false },
  ...more,
})
const get_key = 'https://ward.example.com/ads/hub?d=ticket'
const ANSWERS: Readonly<Record<string, object>> = {
  '': { ...denied('invalid_key'), get_key },
  wrong: { ...denied('invalid_key'), get_key, link: { text: 'Get a key', url: get_key } },
  typo: denied('invalid_key', { typo: true }),
  limit: denied('rate_limited', { retry_after: 62 }),
  blocked: denied('blacklisted', { message: 'This key is blocked. Reason: shared.' }),
  elsewhere: denied('fingerprint_mismatch', {
    ...{ message: 'This key is bound to another device.', details: { reset_available_at: ST + 7_300_000 } },
    link: { text: 'Your key', url: 'https://ward.example.com/me' },
  }),
  lasts: { ...VALID, key_expires: ST + 86_400_000 },
  grace: { ...VALID, key_expires: ST - 1000, status: 'grace', in_grace: true },
  away: { status: 503, text: 'down' },
  crowded: { status: 429, text: '{"error":{"type":"rate_limited","retry_after":30}}' },
  foreign: { status: 200, text: '<html>Sign in to this network</html>' },
}
const CLIPBOARD = `local clipboard = 'KEY-1' function getclipboard() return clipboard .. '\\n' end
  function setclipboard(text) print('copied ' .. text) end`
const check = (key: string) => `field().Text = '${key}' press('Check key')`
const opened = (lines: string, more: Partial<WindowRun> = {}) =>
  onScreen(peer, { lines: `ward.window() ${lines}`, ...more })

describe('the key window', () => {
  test('remembers a valid key, says how long it is valid, runs the script and closes', async () => {
    const lines = `${check(' lasts ')} show(said(), ward.remembered()) advance(1) show(shown() ~= nil)
      advance(1) show(shown() ~= nil)`
    expect(await opened(lines)).toEqual([
      ...['ran with lasts', 'Your key is valid · 1 d left | lasts', 'true', 'false'],
    ])
    expect(peer.requests).toEqual([WINDOW, CHECK, SCRIPT])
  })

  test('does not say that a key in its grace period has no time left', async () => {
    expect(await opened(`${check('grace')} show(said())`)).toEqual(['ran with grace', 'Your key is valid'])
  })

  test('is neither shown nor downloaded if the remembered key is valid', async () => {
    const lines = 'show(shown() ~= nil)'
    expect(await opened(lines, { files: { [FILE]: 'KEY-1' } })).toEqual(['ran with KEY-1', 'false'])
    expect(peer.requests).toEqual([CHECK, SCRIPT])
  })

  test('is not shown either if the line that opens it has a valid key', async () => {
    const before = `script_key = ' lasts '`
    const lines = 'show(shown() ~= nil, ward.remembered())'
    expect(await opened(lines, { before })).toEqual(['ran with lasts', 'false | nil'])
    expect(peer.requests).toEqual([CHECK, SCRIPT])
  })

  test('uses the remembered key if the one in the line is denied, and asks again if both are', async () => {
    const before = `script_key = 'blocked'`
    const lines = 'show(shown() ~= nil)'
    expect(await opened(lines, { before, files: { [FILE]: 'KEY-1' } })).toEqual(['ran with KEY-1', 'false'])
    const asked = 'show(field().Text, said())'
    expect(await opened(asked, { before: `script_key = 'typo'`, files: { [FILE]: 'blocked' } })).toEqual([
      'blocked | This key is blocked. Reason: shared.',
    ])
    expect(await opened(asked, { before })).toEqual(['blocked | This key is blocked. Reason: shared.'])
    peer.requests.length = 0
    const away = await opened(asked, { before: `script_key = 'away'`, files: { [FILE]: 'KEY-1' } })
    expect(away).toEqual([expect.stringMatching(/^away \| /)])
    expect(peer.requests.filter((request) => request === CHECK)).toHaveLength(3)
  })

  test('asks again after a key was forgotten, although a script runs with it', async () => {
    const lines = `ward.forget() show(script_key) ward.window() show(shown() ~= nil)`
    expect(await opened(lines, { files: { [FILE]: 'KEY-1' } })).toEqual(['ran with KEY-1', 'nil', 'true'])
  })

  test('has the remembered key and why it is denied', async () => {
    const lines = 'show(field().Text, said())'
    expect(await opened(lines, { files: { [FILE]: 'blocked' } })).toEqual([
      'blocked | This key is blocked. Reason: shared.',
    ])
  })

  test('says why a key is denied, and counts down until the next attempt', async () => {
    const lines = `${check('wrong')} show(said()) ${check('typo')} show(said()) ${check('limit')} show(said())
      advance(1) show(said()) for _ = 1, 61 do advance(1) end show(said()) ${check('elsewhere')} show(said())
      ${check('')} show(said()) advance(1) show(said())`
    expect((await opened(lines)).join('\n')).toBe(
      [
        "This key isn't valid. Copy it again, or get a new one.",
        'This key contains a typo. Copy it again.',
        'Too many attempts.\nTry again in 1:02.',
        'Too many attempts.\nTry again in 1:01.',
        'Too many attempts.\nYou can try again now.',
        'This key is bound to another device.\nTry again in 2 h.',
        'Enter your key first.',
        'Enter your key first.',
      ].join('\n'),
    )
  })

  test("says in the customer's language that a network is too busy or answers itself", async () => {
    const enter = (key: string) => `field().Text = '${key}' field().FocusLost:Fire(true) show(said())`
    const lines = `${enter('crowded')} ${enter('foreign')}`
    expect(await opened(lines, { language: 'fr' })).toEqual([
      ...['Trop de tentatives.', 'Réessaie dans 0:30.'],
      'La réponse reçue ne vient pas de ce serveur. Vérifie ta connexion, puis réessaie.',
    ])
  })

  test('keeps the key if the server is away', async () => {
    const lines = `${check('away')} show(said(), field().Text, field().TextEditable) ${check('lasts')}`
    expect(await opened(lines)).toEqual([
      "We can't reach the server. Check your connection, then try again. | away | true",
      'ran with lasts',
    ])
  })

  test('sends one request for two clicks, and none after it was closed', async () => {
    const before = `local send, isSlow = request, false
      function request(message) if isSlow then task.wait(1) end return send(message) end
      function slow() isSlow = true end`
    const lines = `slow() local check = button('Check key') field().Text = 'KEY-1'
      check.Activated:Fire() check.Activated:Fire() show(check.Text, field().TextEditable)
      press('\\195\\151') advance(1) advance(1) show(shown() ~= nil) check.Activated:Fire()`
    expect(await opened(lines, { before })).toEqual(['Checking… | false', 'false'])
    expect(peer.requests).toEqual([WINDOW, CHECK])
  })

  test('pastes, and checks the key when Enter is pressed', async () => {
    const lines = `press('Paste') show(field().Text) field().FocusLost:Fire(false) show(said())
      field().FocusLost:Fire(true)`
    expect(await opened(lines, { before: CLIPBOARD })).toEqual(['KEY-1', 'nil', 'ran with KEY-1'])
    expect(await opened('show(pcall(press, "Paste"))')).toEqual([expect.stringContaining('no button Paste')])
  })

  test('copies the links of the get-key page, the shop, the denial and the branding', async () => {
    const lines = `ward.window({ buy = 'https://shop.example.com' })
      press('Get key') show(said()) press('Buy key') press('Chat')
      ${check('wrong')} show(pcall(button, 'Get a key')) ${check('elsewhere')} press('Your key') show(said())`
    const settings = { get_key: true, links: [{ title: 'Chat', url: 'https://chat.example.com' }] }
    expect(await onScreen(peer, { lines, settings, before: CLIPBOARD })).toEqual([
      `copied ${get_key}`,
      'Link copied. Paste it into your browser.',
      'copied https://shop.example.com',
      'copied https://chat.example.com',
      expect.stringContaining('no button Get a key'),
      'copied https://ward.example.com/me',
      'Link copied. Paste it into your browser.',
    ])
  })

  test('shows a link that the host can neither copy nor open', async () => {
    const lines = `press('Get key') show(said())`
    expect((await opened(lines, { settings: { get_key: true } })).join('\n')).toBe(
      `Open this link in your browser:\n${get_key}`,
    )
  })

  test('calls on_valid with the result and the key instead of running the script', async () => {
    const lines = `ward.window({ on_valid = function(result, key) show(result.name, key) end }) ${check('KEY-1')}`
    expect(await onScreen(peer, { lines })).toEqual(['KEY_VALID | KEY-1'])
    expect(peer.requests).toEqual([WINDOW, CHECK])
  })

  test('shows an error of on_valid, raises it, and can be used again', async () => {
    const lines = `local isFirst = true
      ward.window({ on_valid = function() if isFirst then isFirst = false error('no hub', 0) end print('fine') end })
      ${check('KEY-1')} show(said()) advance(2) show(button('Check key').Text) press('Check key')`
    const lead = "Something went wrong. Send this message to the script's author:"
    expect((await onScreen(peer, { lines })).join('\n')).toBe(
      ['error: no hub', lead, 'no hub', 'Check key', 'fine'].join('\n'),
    )
  })

  test('replaces an earlier one and listens to nothing afterwards', async () => {
    const lines = `field().Text = 'first' ward.window({ title = 'Second' }) show(field().Text)
      show(#getmetatable(hidden).data.children, inputs.InputChanged:Count(), inputs.InputEnded:Count())
      press('\\195\\151') show(shown(), inputs.InputChanged:Count(), inputs.InputEnded:Count())`
    expect(await opened(lines)).toEqual(['', '1 | 1 | 1', 'nil | 0 | 0'])
  })

  test.each([
    ['hidden', ''],
    ['CoreGui', 'gethui = nil'],
    ['CoreGui', 'function gethui() error("no") end'],
    ['PlayerGui', 'gethui = nil lock(coreGui)'],
  ])('is shown in %s above the game', async (parent, before) => {
    const lines = 'show(shown().Parent.Name, shown().DisplayOrder > 1000, shown().ResetOnSpawn)'
    expect(await opened(lines, { before })).toEqual([`${parent} | true | false`])
  })

  test('is moved by a mouse or a finger, and fits a screen that was turned', async () => {
    const lines = `local card = find(function(_, data) return data.properties.Name == 'Card' end)
      local holder = card.Parent
      local function input(kind, x, y) return { UserInputType = { Name = kind }, Position = Vector2.new(x, y) } end
      local function at() return holder.Position.X.Offset, holder.Position.Y.Offset end
      inputs.InputChanged:Fire(input('MouseMovement', 5, 5)) show(at())
      card.InputBegan:Fire(input('Touch', 10, 10)) inputs.InputChanged:Fire(input('Touch', 30, 0)) show(at())
      inputs.InputEnded:Fire(input('Touch', 30, 0)) inputs.InputChanged:Fire(input('MouseMovement', 0, 0)) show(at())
      local width = holder.Size.X.Offset camera.ViewportSize = Vector2.new(640, 360)
      camera:GetPropertyChangedSignal('ViewportSize'):Fire() show(width, holder.Size.X.Offset, at())`
    expect(await opened(lines, { viewport: [360, 640] })).toEqual([
      ...['0 | 0', '20 | -10', '20 | -10', '336 | 600 | 0 | 0'],
    ])
  })

  test('has the branding of the project, unless the hub has its own', async () => {
    const before = `function isfile(name) return pcall(readfile, name) end
      function getcustomasset(name) return 'asset:' .. name .. '=' .. readfile(name) end`
    const shown = `show(find(function(_, data) return data.class == 'TextLabel' end).Text,
      find(function(_, data) return data.class == 'ImageLabel' end).Image, pcall(button, 'Get key'))`
    const lines = `ward.window() ${shown}
      ward.window({ title = 'Hub', logo = 'rbxassetid://1', get_key = false }) ${shown}`
    const logo = { logo: Buffer.from('image').toString('base64url'), logo_file: 'logo.1.png' }
    const settings = { title: 'Gärten', get_key: true, ...logo }
    expect(await onScreen(peer, { lines, before, settings })).toEqual([
      expect.stringMatching(/^Gärten \| asset:scriptward-logo\.1\.png=image \| true/),
      expect.stringMatching(/^Hub \| rbxassetid:\/\/1 \| false/),
    ])
  })

  test('cannot be opened without a server, a project or permission', async () => {
    const library = renderLibrary(libraryCore(), { urls: ['http://127.0.0.1:1'], pins: [] })
    const lines = `Instance = { new = print } show(pcall(ward.window)) ward.project = nil show(pcall(ward.window))`
    expect(await linesOf({ host: 'luau', library, lines })).toEqual([
      expect.stringMatching(/^false \| scriptward: the server cannot be reached \(/),
      expect.stringMatching(/^false \| scriptward: Set ward.project/),
    ])
    const refused = await linesOf({ host: 'luau', library: peer.library(), lines })
    expect(refused[0]).toMatch(/^false \| scriptward: This project does not exist, or its author has not/)
  })

  test('takes at most 8 KiB with gzip, and the library at most 20', () => {
    for (const language of LANGUAGES) {
      const size = gzipSync(windowOf({}, language)).length
      expect([language, size <= 8 * KIB]).toEqual([language, true])
      expect(windowOf({}, language)).toMatch(/^[\n\x20-\x7e]+$/)
    }
    const pins = ['a', 'b'].map((letter) => letter.repeat(43))
    const library = renderLibrary(libraryCore(), { urls: ['https://ward.example.com/client/v1'], pins })
    expect(gzipSync(library).length).toBeLessThanOrEqual(20 * KIB)
  })
})

describe('on a terminal', () => {
  const typed = (...answers: (string | false)[]) =>
    `local answers = { ${answers.map((one) => (one === false ? 'false' : `'${one}'`)).join(', ')} }
    io.read = function() return table.remove(answers, 1) or nil end`
  const asked = (before: string, options = '', host = 'lua5.1') => {
    peer.pages = { ...peer.pages, '/library/window': windowOf({ get_key: true }) }
    return runHub({ host, library: peer.library(), lines: `ward.window({ ${options} })`, before })
  }

  test.each(['lua5.1', 'luajit', 'lua5.4'])('the same is asked, in %s', async (host) => {
    const { stdout } = await asked(typed('', 'limit', ' lasts '), `buy = 'https://shop.example.com'`, host)
    expect(stdout.split('\n')).toEqual([
      ...['Garden', 'Buy key: https://shop.example.com', 'Leave the key empty to get one.'],
      ...[`Key: Get key: ${get_key}`, 'Key: Too many attempts.', 'Try again in 1:02.'],
      ...['Key: Your key is valid · 1 d left', 'ran with lasts', ''],
    ])
  })

  test('five keys are asked for, and none after the end of the input', async () => {
    const many = await asked(typed(...Array<string>(7).fill('blocked')))
    expect([many.status, many.stdout.match(/Key: /g)]).toEqual([1, Array(5).fill('Key: ')])
    expect(many.stderr).toContain('scriptward: too many invalid keys were entered')
    expect((await asked(typed(false))).stderr).toContain('scriptward: no key was entered')
  })

  test('that does not exist either, an error says what is missing', async () => {
    const { stderr } = await asked('io.read = nil')
    expect(stderr).toContain('scriptward: this host has neither a screen nor a terminal for the key window')
    expect(peer.requests).toEqual([])
  })
})
