/**
 * The dashboard's messages. They are separate exports instead of properties of one object, so that a page
 * downloads only the files that it uses. Pages for ads, webhooks, user records and the server import their
 * file directly.
 */
export * as text from './sections.ts'
