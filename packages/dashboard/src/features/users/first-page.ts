/**
 * The first request for the list without filters, which the page sends before its code has loaded. Requests
 * only as many rows as a large window shows, because each user takes 18 milliseconds on a slow connection.
 */
export const FIRST_PAGE = { limit: 30, sort: 'created', order: 'desc' } as const
