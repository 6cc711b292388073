/** The functions and first words with which SQL stays within the database. */

const set = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/** Functions that compute from their arguments or from rows, in SQLite, Postgres and MySQL. */
export const SQL_FUNCTIONS = set(`
  abs acos acosh age array_agg array_length ascii asin asinh atan atan2 atanh avg bit_length bool_and bool_or btrim
  cardinality cast ceil ceiling char char_length character_length changes chr coalesce concat concat_ws convert cos
  cosh count cume_dist curdate current_date current_database current_schema current_time current_timestamp curtime
  date date_add date_format date_part date_sub date_trunc datediff datetime day dayname dayofmonth dayofweek
  dayofyear degrees dense_rank exp extract field find_in_set first_value floor format from_unixtime generate_series
  glob greatest group_concat hex hour if ifnull iif initcap instr interval json json_agg json_array
  json_array_elements json_array_length json_build_object json_contains json_each json_each_text json_extract
  json_group_array json_group_object json_insert json_keys json_length json_object json_patch json_pretty json_quote
  json_remove json_replace json_set json_tree json_type json_unquote json_valid jsonb jsonb_agg
  jsonb_array_elements jsonb_array_length jsonb_build_object jsonb_each jsonb_extract_path_text jsonb_pretty
  jsonb_set jsonb_typeof julianday lag last_day last_insert_id last_insert_rowid last_value lcase lead least left
  length like likelihood likely ln localtime localtimestamp locate log log10 log2 lower lpad ltrim make_date max md5
  median mid min minute mod month monthname now nth_value ntile nullif obj_description octet_length
  pg_column_size pg_database_size pg_get_constraintdef pg_get_indexdef pg_get_viewdef pg_indexes_size
  pg_relation_size pg_size_pretty pg_table_size pg_total_relation_size pi position pow power percent_rank
  percentile_cont percentile_disc printf quarter quote radians random rank regexp_like regexp_match regexp_matches
  regexp_replace regexp_split_to_table repeat replace reverse right round row_number row_to_json rpad rtrim second
  sha1 sha2 sha3 sign sin sinh soundex split_part sqlite_version sqrt starts_with stddev stddev_pop stddev_samp
  strftime string_agg str_to_date strpos sub substr substring substring_index subtime sum sysdate tan tanh time
  timediff timestamp timestampadd timestampdiff to_char to_date to_json to_jsonb to_number to_regclass to_timestamp
  total total_changes translate trim trunc truncate typeof ucase unaccent unhex unicode unistr unixepoch
  unix_timestamp unlikely unnest upper user uuid var_pop var_samp variance version week weekday year yearweek
  zeroblob pragma_table_info pragma_table_xinfo pragma_table_list pragma_index_list pragma_index_info
  pragma_index_xinfo pragma_foreign_key_list pragma_foreign_key_check pragma_integrity_check pragma_database_list
  pragma_compile_options pragma_function_list pragma_collation_list row_count found_rows`);

/** Words that a parenthesis may follow without being called, and the types that take a size. */
export const BEFORE_PARENTHESIS = set(`
  all and any array as between bigint binary bit bpchar by case char character check collate column conflict
  constraint cross dec decimal default delete distinct double else end escape except exists explain filter float
  foreign from full function group groups having if in index inner int integer intersect interval into is join key
  left like limit match materialized natural not null nulls numeric nvarchar offset on only or order outer over
  partition primary range real references returning right row rows select set some table text then time timestamp
  timestamptz tinyint union unique update using values varbinary varbit varchar varying when where window with
  within year enum blob plan`);

export const SQLITE_PRAGMAS = set(`
  analysis_limit application_id auto_vacuum automatic_index busy_timeout cache_size case_sensitive_like
  collation_list compile_options data_version database_list encoding foreign_key_check foreign_key_list
  foreign_keys freelist_count function_list index_info index_list index_xinfo integrity_check journal_mode
  legacy_alter_table max_page_count module_list optimize page_count page_size pragma_list query_only quick_check
  recursive_triggers secure_delete synchronous table_info table_list table_xinfo threads user_version
  wal_autocheckpoint wal_checkpoint`);

export const SQLITE_VERBS = set(`
  select with values explain insert replace update delete create alter drop begin commit end rollback savepoint
  release analyze reindex vacuum pragma detach`);
export const POSTGRES_VERBS = set(`
  select with values explain insert update delete create alter drop truncate begin commit end rollback savepoint
  release start analyze vacuum show table comment reindex`);
export const MYSQL_VERBS = set(`
  select with values explain insert replace update delete create alter drop truncate begin commit rollback savepoint
  release start analyze optimize show describe desc use check`);
