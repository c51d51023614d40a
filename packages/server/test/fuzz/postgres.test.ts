/** Requests made from the OpenAPI document, on PostgreSQL. */
import { postgres } from '../databases.ts'
import { fuzzOn } from './fuzz.ts'

fuzzOn(postgres)
