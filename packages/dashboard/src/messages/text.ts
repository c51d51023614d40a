/**
 * The dashboard's texts. They are exports instead of members of one object, so that a page downloads only the files
 * whose texts it uses. Pages for ads, webhooks, user records and the server import their file directly.
 */
export * as text from './sections.ts'
