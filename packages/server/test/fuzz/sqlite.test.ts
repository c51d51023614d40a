/** Requests made from the OpenAPI document, on SQLite. */
import { sqlite } from '../databases.ts'
import { fuzzOn } from './fuzz.ts'

fuzzOn(sqlite)
