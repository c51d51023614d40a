/**
 * The guide's search. This file doesn't depend on a page or an index, so that a test can run the same queries
 * as the browser. `MiniSearch` is passed in, because the test and the browser load it from different places.
 */
const MAX_RESULTS = 12
/** More results from one page would crowd out the others. */
const MAX_PER_PAGE = 2
/** Suggested when the guide contains no similar word. */
const FALLBACK = ['index', 'faq', 'troubleshooting']
const STOP_WORDS = new Set(
  'a an the i my me you your we our is are be do does can will how what where why who which to of for in on at it with and or not get please'.split(
    ' ',
  ),
)

/**
 * `search(query)` returns the sections to show, and whether they match every word or are only the closest
 * matches.
 */
export function makeSearch(MiniSearch, { sections, synonyms }) {
  const index = new MiniSearch({
    fields: ['name', 'title', 'heading', 'text'],
    storeFields: ['name', 'title', 'heading'],
    searchOptions: { boost: { name: 3, title: 3, heading: 4 }, prefix: isLong, fuzzy: 0.15 },
  })
  index.addAll(sections)
  const fallback = FALLBACK.flatMap((name) => sections.find((one) => one.name === name) ?? [])
  return (query) => {
    const terms = termsOf(query, synonyms)
    const exact = spread(index.search({ combineWith: 'AND', queries: terms }))
    if (exact.length > 0) return { results: exact, isExact: true }
    const near = spread(index.search({ combineWith: 'OR', queries: terms, fuzzy: 0.3 }))
    return { results: near.length > 0 ? near : fallback, isExact: false }
  }
}

/** A one- or two-letter prefix would match half of the guide. */
const isLong = (term) => term.length > 2

/**
 * Words that go together, such as "kill switch", are looked up together. Each term may also match its
 * synonyms.
 */
function termsOf(query, synonyms) {
  const words = query
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
  const meant = words.filter((word) => !STOP_WORDS.has(word))
  return joinPhrases(meant.length > 0 ? meant : words, synonyms).map((term) => ({
    combineWith: 'OR',
    queries: [term, ...(Object.hasOwn(synonyms, term) ? synonyms[term] : [])].map((one) => ({
      combineWith: 'AND',
      queries: one.split(' '),
    })),
  }))
}

function joinPhrases(words, synonyms) {
  const terms = []
  for (let at = 0; at < words.length; at += 1) {
    const pair = `${words[at]} ${words[at + 1]}`
    const isPhrase = Object.hasOwn(synonyms, pair)
    terms.push(isPhrase ? pair : words[at])
    if (isPhrase) at += 1
  }
  return terms
}

function spread(hits) {
  const counts = new Map()
  const kept = hits.filter(({ name }) => {
    counts.set(name, (counts.get(name) ?? 0) + 1)
    return counts.get(name) <= MAX_PER_PAGE
  })
  return kept.slice(0, MAX_RESULTS)
}
