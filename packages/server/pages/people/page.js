/**
 * Optional page behavior that needs JavaScript: times in the reader's time zone, copying, countdowns,
 * polling, and the proof of work. Only the proof of work requires a script.
 */
const { lang } = document.documentElement
/** Uses the format of the reader's country if the browser lists a locale in the page's language. */
const LOCALE = navigator.languages.find((one) => one.startsWith(lang)) ?? lang
const MOMENT = new Intl.DateTimeFormat(LOCALE, { dateStyle: 'medium', timeStyle: 'short' })
const POLL_MS = 1500
/** Number of hashes between pauses that let the page respond. */
const BATCH = 4000
const WORDS = new Int32Array(64)
const ROUNDS = fractions(64, 3)
const INITIAL = fractions(8, 2)

for (const time of document.querySelectorAll('time[datetime]'))
  time.textContent = MOMENT.format(new Date(time.dateTime))

for (const button of document.querySelectorAll('button[data-copy]')) {
  button.hidden = false
  button.addEventListener('click', () => void copy(button))
}

async function copy(button) {
  const source = document.getElementById(button.dataset.copy)
  const words = button.textContent
  button.setAttribute('aria-live', 'polite')
  try {
    await navigator.clipboard.writeText(source.textContent)
    button.textContent = button.dataset.done
  } catch {
    // Copying is disallowed, or unavailable over plain HTTP, so the content is selected instead.
    getSelection().selectAllChildren(source)
    button.textContent = button.dataset.marked
  }
  button.disabled = true
  setTimeout(() => {
    button.textContent = words
    button.disabled = false
  }, 2000)
}

// Uses the server's countdown, because this device's clock may be wrong.
for (const element of document.querySelectorAll('[data-seconds-left]')) {
  const end = performance.now() + Number(element.dataset.secondsLeft) * 1000
  const units = element.dataset.units.split(' ')
  const tick = () => {
    const left = Math.max(0, Math.ceil((end - performance.now()) / 1000))
    element.textContent = span(left, units)
    if (left > 0) setTimeout(tick, 500)
    else document.getElementById(element.dataset.frees)?.removeAttribute('disabled')
  }
  tick()
}

/** Formats a duration as the server does. */
function span(seconds, [day, hour, minute, second]) {
  if (seconds < 60) return `${seconds} ${second}`
  if (seconds < 3600) return both(seconds, 60, minute, second)
  const minutes = Math.ceil(seconds / 60)
  if (minutes < 2880) return both(minutes, 60, hour, minute)
  return both(Math.ceil(minutes / 60), 24, day, hour)
}

function both(number, base, large, small) {
  const rest = number % base
  return `${Math.floor(number / base)} ${large}${rest > 0 ? ` ${rest} ${small}` : ''}`
}

const waiting = document.querySelector('[data-poll]')
if (waiting !== null) setTimeout(poll, POLL_MS)

async function poll() {
  try {
    const { state } = await (await fetch(waiting.dataset.poll)).json()
    if (state !== 'waiting') return location.reload()
  } catch {
    // The network may be available again at the next attempt.
  }
  setTimeout(poll, POLL_MS)
}

for (const form of document.querySelectorAll('form[data-challenge]'))
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    void solve(form)
  })

async function solve(form) {
  const { challenge, bits, working } = form.dataset
  const button = form.querySelector('button')
  button.disabled = true
  button.textContent = working
  const field = document.createElement('input')
  field.type = 'hidden'
  field.name = 'solution'
  field.value = await findSolution(challenge, Number(bits))
  form.append(field)
  form.submit()
}

async function findSolution(challenge, bits) {
  const start = new TextEncoder().encode(`${challenge}:`)
  for (let number = 0; ; number += 1) {
    if (hasZeroBits(firstWords(start, String(number)), bits)) return String(number)
    if (number % BATCH === 0) await new Promise((resolve) => setTimeout(resolve))
  }
}

function hasZeroBits([first, second], bits) {
  if (bits <= 32) return bits === 0 || first >>> (32 - bits) === 0
  return first === 0 && second >>> (64 - bits) === 0
}

/**
 * The first two words of SHA-256 (FIPS 180-4). The browser's own function returns a promise for every hash,
 * which takes longer than computing the hash.
 */
function firstWords(start, end) {
  const length = start.length + end.length
  const bytes = new Uint8Array(((length + 72) >> 6) << 6)
  bytes.set(start)
  for (let index = 0; index < end.length; index += 1) bytes[start.length + index] = end.charCodeAt(index)
  bytes[length] = 0x80
  const view = new DataView(bytes.buffer)
  view.setUint32(bytes.length - 4, length * 8)
  const state = INITIAL.slice()
  for (let offset = 0; offset < bytes.length; offset += 64) compress(state, view, offset)
  return state
}

function compress(state, view, offset) {
  for (let index = 0; index < 16; index += 1) WORDS[index] = view.getUint32(offset + index * 4)
  for (let index = 16; index < 64; index += 1) {
    const [early, late] = [WORDS[index - 15], WORDS[index - 2]]
    const small = turn(early, 7) ^ turn(early, 18) ^ (early >>> 3)
    const large = turn(late, 17) ^ turn(late, 19) ^ (late >>> 10)
    WORDS[index] = WORDS[index - 16] + small + WORDS[index - 7] + large
  }
  let [a, b, c, d, e, f, g, h] = state
  for (let index = 0; index < 64; index += 1) {
    const choice = (e & f) ^ (~e & g)
    const first = (h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + choice + ROUNDS[index] + WORDS[index]) | 0
    const majority = (a & b) ^ (a & c) ^ (b & c)
    const second = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + majority
    h = g
    g = f
    f = e
    e = (d + first) | 0
    d = c
    c = b
    b = a
    a = (first + second) | 0
  }
  const next = [a, b, c, d, e, f, g, h]
  for (let index = 0; index < 8; index += 1) state[index] += next[index]
}

function turn(word, bits) {
  return (word >>> bits) | (word << (32 - bits))
}

/** Fractional parts of the roots of the first primes. They define both tables in the standard. */
function fractions(count, root) {
  const table = new Uint32Array(count)
  for (let number = 2, found = 0; found < count; number += 1) {
    if (isPrime(number)) table[found++] = (number ** (1 / root) % 1) * 2 ** 32
  }
  return table
}

function isPrime(number) {
  for (let divisor = 2; divisor * divisor <= number; divisor += 1) if (number % divisor === 0) return false
  return true
}
