--
-- PostgreSQL database dump
--



SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

--
-- Name: earlier_copies_sync_delete(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.earlier_copies_sync_delete() RETURNS trigger
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    AS $$
DECLARE of_copy uuid;
BEGIN
  
INSERT INTO synced_items (item_id, library_id, created_at, changed_at, is_archived, is_favourite, is_unread,
  archived_at, favourite_at, is_listed, is_hashed)
SELECT items.id, items.library_id, items.created_at, clock_timestamp(), COALESCE(state.is_archived, false),
  COALESCE(state.is_favourite, false), state.read_at IS NULL, CASE WHEN state.is_archived THEN clock_timestamp() END,
  CASE WHEN state.is_favourite THEN clock_timestamp() END, ((media.superseded_by IS NULL OR NOT (EXISTS (SELECT * 
FROM media AS other 
WHERE other.id = media.superseded_by AND other.processing_status = 'ready_for_reading' AND (SELECT other_item.id 
FROM items AS other_item 
WHERE other_item.library_id = items.library_id AND other_item.media_id = other.id 
 LIMIT 1) IS NOT NULL))) AND (media.processing_status = 'ready_for_reading' OR NOT (EXISTS (SELECT * 
FROM media AS other 
WHERE other.superseded_by = media.id AND (SELECT other_item.id 
FROM items AS other_item 
WHERE other_item.library_id = items.library_id AND other_item.media_id = other.id 
 LIMIT 1) IS NOT NULL))) AND (SELECT earlier_copies.item_id 
FROM earlier_copies 
WHERE earlier_copies.item_id = items.id 
 LIMIT 1) IS NULL), false
FROM items
JOIN libraries ON libraries.id = items.library_id AND libraries.is_default
JOIN media ON media.id = items.media_id
LEFT JOIN reading_states state ON state.media_id = items.media_id AND state.user_id = libraries.owner_id
WHERE items.id = OLD.item_id
ON CONFLICT (item_id) DO UPDATE SET library_id = excluded.library_id, created_at = excluded.created_at,
  changed_at = excluded.changed_at, is_archived = excluded.is_archived, is_favourite = excluded.is_favourite,
  is_unread = excluded.is_unread, is_listed = excluded.is_listed, is_hashed = synced_items.is_hashed,
  archived_at = CASE WHEN excluded.is_archived THEN COALESCE(synced_items.archived_at, excluded.archived_at) END,
  favourite_at = CASE WHEN excluded.is_favourite THEN COALESCE(synced_items.favourite_at, excluded.favourite_at) END;

  RETURN NULL;
END $$;


--
-- Name: earlier_copies_sync_insert(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.earlier_copies_sync_insert() RETURNS trigger
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    AS $$
DECLARE of_copy uuid;
BEGIN
  
INSERT INTO synced_items (item_id, library_id, created_at, changed_at, is_archived, is_favourite, is_unread,
  archived_at, favourite_at, is_listed, is_hashed)
SELECT items.id, items.library_id, items.created_at, clock_timestamp(), COALESCE(state.is_archived, false),
  COALESCE(state.is_favourite, false), state.read_at IS NULL, CASE WHEN state.is_archived THEN clock_timestamp() END,
  CASE WHEN state.is_favourite THEN clock_timestamp() END, ((media.superseded_by IS NULL OR NOT (EXISTS (SELECT * 
FROM media AS other 
WHERE other.id = media.superseded_by AND other.processing_status = 'ready_for_reading' AND (SELECT other_item.id 
FROM items AS other_item 
WHERE other_item.library_id = items.library_id AND other_item.media_id = other.id 
 LIMIT 1) IS NOT NULL))) AND (media.processing_status = 'ready_for_reading' OR NOT (EXISTS (SELECT * 
FROM media AS other 
WHERE other.superseded_by = media.id AND (SELECT other_item.id 
FROM items AS other_item 
WHERE other_item.library_id = items.library_id AND other_item.media_id = other.id 
 LIMIT 1) IS NOT NULL))) AND (SELECT earlier_copies.item_id 
FROM earlier_copies 
WHERE earlier_copies.item_id = items.id 
 LIMIT 1) IS NULL), false
FROM items
JOIN libraries ON libraries.id = items.library_id AND libraries.is_default
JOIN media ON media.id = items.media_id
LEFT JOIN reading_states state ON state.media_id = items.media_id AND state.user_id = libraries.owner_id
WHERE items.id = NEW.item_id
ON CONFLICT (item_id) DO UPDATE SET library_id = excluded.library_id, created_at = excluded.created_at,
  changed_at = excluded.changed_at, is_archived = excluded.is_archived, is_favourite = excluded.is_favourite,
  is_unread = excluded.is_unread, is_listed = excluded.is_listed, is_hashed = synced_items.is_hashed,
  archived_at = CASE WHEN excluded.is_archived THEN COALESCE(synced_items.archived_at, excluded.archived_at) END,
  favourite_at = CASE WHEN excluded.is_favourite THEN COALESCE(synced_items.favourite_at, excluded.favourite_at) END;

  RETURN NULL;
END $$;


--
-- Name: fragments_mark_insert(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.fragments_mark_insert() RETURNS trigger
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    AS $$
BEGIN
  UPDATE search_media SET version = -1 WHERE media_id = NEW.media_id;
  RETURN NULL;
END $$;


--
-- Name: fragments_refuse_change(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.fragments_refuse_change() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
  IF TG_OP = 'UPDATE' OR EXISTS (SELECT 1 FROM media WHERE id = OLD.media_id) THEN
    RAISE EXCEPTION 'a fragment never changes' USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN OLD;
END $$;


--
-- Name: highlights_sync_insert(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.highlights_sync_insert() RETURNS trigger
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    AS $$
DECLARE of_copy uuid;
BEGIN
  WHILE NOT EXISTS (SELECT 1 FROM numbers WHERE kind = 'highlight' AND subject_id = NEW.id) LOOP INSERT INTO numbers (kind, subject_id) VALUES ('highlight', NEW.id) ON CONFLICT DO NOTHING; END LOOP; UPDATE synced_items SET changed_at = clock_timestamp() WHERE item_id IN (SELECT id FROM items WHERE items.media_id = NEW.media_id AND items.library_id = (
  SELECT own.id FROM libraries own WHERE own.owner_id = NEW.user_id AND own.is_default));
  RETURN NULL;
END $$;


--
-- Name: highlights_sync_update(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.highlights_sync_update() RETURNS trigger
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    AS $$
DECLARE of_copy uuid;
BEGIN
  UPDATE synced_items SET changed_at = clock_timestamp() WHERE item_id IN (SELECT id FROM items WHERE items.media_id = NEW.media_id AND items.library_id = (
  SELECT own.id FROM libraries own WHERE own.owner_id = NEW.user_id AND own.is_default));
  RETURN NULL;
END $$;


--
-- Name: item_tags_mark_delete(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.item_tags_mark_delete() RETURNS trigger
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    AS $$
BEGIN
  UPDATE search_items SET version = -1 WHERE item_id = OLD.item_id;
  RETURN NULL;
END $$;


--
-- Name: item_tags_mark_insert(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.item_tags_mark_insert() RETURNS trigger
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    AS $$
BEGIN
  UPDATE search_items SET version = -1 WHERE item_id = NEW.item_id;
  RETURN NULL;
END $$;


--
-- Name: item_tags_sync_delete(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.item_tags_sync_delete() RETURNS trigger
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    AS $$
DECLARE of_copy uuid;
BEGIN
  UPDATE synced_items SET changed_at = clock_timestamp() WHERE item_id IN (OLD.item_id);
  RETURN NULL;
END $$;


--
-- Name: item_tags_sync_insert(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.item_tags_sync_insert() RETURNS trigger
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    AS $$
DECLARE of_copy uuid;
BEGIN
  UPDATE synced_items SET changed_at = clock_timestamp() WHERE item_id IN (NEW.item_id);
  RETURN NULL;
END $$;


--
-- Name: items_follow_update(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.items_follow_update() RETURNS trigger
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    AS $$
BEGIN
  
INSERT INTO library_numbers (item_no, library_id, media_no)
SELECT item_no, library_id, media_no FROM (
  SELECT (SELECT no FROM search_items WHERE item_id = items.id) AS item_no, items.library_id,
    (SELECT no FROM search_media WHERE media_id = items.media_id) AS media_no
  FROM items WHERE items.id = NEW.id) numbered
WHERE item_no IS NOT NULL AND media_no IS NOT NULL
ON CONFLICT (item_no) DO UPDATE SET library_id = excluded.library_id, media_no = excluded.media_no;

  RETURN NULL;
END $$;


--
-- Name: items_mark_insert(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.items_mark_insert() RETURNS trigger
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    AS $$
BEGIN
  INSERT INTO search_items (item_id, version) VALUES (NEW.id, -1) ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;


--
-- Name: items_mark_update(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.items_mark_update() RETURNS trigger
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    AS $$
BEGIN
  UPDATE search_items SET version = -1 WHERE item_id = NEW.id;
  RETURN NULL;
END $$;


--
-- Name: items_sync_delete(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.items_sync_delete() RETURNS trigger
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    AS $$
DECLARE of_copy uuid;
BEGIN
  
INSERT INTO item_tombstones (item_id, library_id, removed_at) SELECT OLD.id, OLD.library_id, clock_timestamp() WHERE true
ON CONFLICT (item_id, library_id) DO UPDATE SET removed_at = excluded.removed_at;
 FOR of_copy IN SELECT OLD.media_id UNION SELECT id FROM media WHERE superseded_by = OLD.media_id
  UNION SELECT superseded_by FROM media WHERE id = OLD.media_id LOOP 
INSERT INTO synced_items (item_id, library_id, created_at, changed_at, is_archived, is_favourite, is_unread,
  archived_at, favourite_at, is_listed, is_hashed)
SELECT items.id, items.library_id, items.created_at, clock_timestamp(), COALESCE(state.is_archived, false),
  COALESCE(state.is_favourite, false), state.read_at IS NULL, CASE WHEN state.is_archived THEN clock_timestamp() END,
  CASE WHEN state.is_favourite THEN clock_timestamp() END, ((media.superseded_by IS NULL OR NOT (EXISTS (SELECT * 
FROM media AS other 
WHERE other.id = media.superseded_by AND other.processing_status = 'ready_for_reading' AND (SELECT other_item.id 
FROM items AS other_item 
WHERE other_item.library_id = items.library_id AND other_item.media_id = other.id 
 LIMIT 1) IS NOT NULL))) AND (media.processing_status = 'ready_for_reading' OR NOT (EXISTS (SELECT * 
FROM media AS other 
WHERE other.superseded_by = media.id AND (SELECT other_item.id 
FROM items AS other_item 
WHERE other_item.library_id = items.library_id AND other_item.media_id = other.id 
 LIMIT 1) IS NOT NULL))) AND (SELECT earlier_copies.item_id 
FROM earlier_copies 
WHERE earlier_copies.item_id = items.id 
 LIMIT 1) IS NULL), false
FROM items
JOIN libraries ON libraries.id = items.library_id AND libraries.is_default
JOIN media ON media.id = items.media_id
LEFT JOIN reading_states state ON state.media_id = items.media_id AND state.user_id = libraries.owner_id
WHERE items.library_id = OLD.library_id AND items.media_id = of_copy
ON CONFLICT (item_id) DO UPDATE SET library_id = excluded.library_id, created_at = excluded.created_at,
  changed_at = excluded.changed_at, is_archived = excluded.is_archived, is_favourite = excluded.is_favourite,
  is_unread = excluded.is_unread, is_listed = excluded.is_listed, is_hashed = synced_items.is_hashed,
  archived_at = CASE WHEN excluded.is_archived THEN COALESCE(synced_items.archived_at, excluded.archived_at) END,
  favourite_at = CASE WHEN excluded.is_favourite THEN COALESCE(synced_items.favourite_at, excluded.favourite_at) END;
 END LOOP;
  RETURN NULL;
END $$;


--
-- Name: items_sync_insert(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.items_sync_insert() RETURNS trigger
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    AS $$
DECLARE of_copy uuid;
BEGIN
  WHILE NOT EXISTS (SELECT 1 FROM numbers WHERE kind = 'item' AND subject_id = NEW.id) LOOP INSERT INTO numbers (kind, subject_id) VALUES ('item', NEW.id) ON CONFLICT DO NOTHING; END LOOP; FOR of_copy IN SELECT NEW.media_id UNION SELECT id FROM media WHERE superseded_by = NEW.media_id
  UNION SELECT superseded_by FROM media WHERE id = NEW.media_id LOOP 
INSERT INTO synced_items (item_id, library_id, created_at, changed_at, is_archived, is_favourite, is_unread,
  archived_at, favourite_at, is_listed, is_hashed)
SELECT items.id, items.library_id, items.created_at, clock_timestamp(), COALESCE(state.is_archived, false),
  COALESCE(state.is_favourite, false), state.read_at IS NULL, CASE WHEN state.is_archived THEN clock_timestamp() END,
  CASE WHEN state.is_favourite THEN clock_timestamp() END, ((media.superseded_by IS NULL OR NOT (EXISTS (SELECT * 
FROM media AS other 
WHERE other.id = media.superseded_by AND other.processing_status = 'ready_for_reading' AND (SELECT other_item.id 
FROM items AS other_item 
WHERE other_item.library_id = items.library_id AND other_item.media_id = other.id 
 LIMIT 1) IS NOT NULL))) AND (media.processing_status = 'ready_for_reading' OR NOT (EXISTS (SELECT * 
FROM media AS other 
WHERE other.superseded_by = media.id AND (SELECT other_item.id 
FROM items AS other_item 
WHERE other_item.library_id = items.library_id AND other_item.media_id = other.id 
 LIMIT 1) IS NOT NULL))) AND (SELECT earlier_copies.item_id 
FROM earlier_copies 
WHERE earlier_copies.item_id = items.id 
 LIMIT 1) IS NULL), false
FROM items
JOIN libraries ON libraries.id = items.library_id AND libraries.is_default
JOIN media ON media.id = items.media_id
LEFT JOIN reading_states state ON state.media_id = items.media_id AND state.user_id = libraries.owner_id
WHERE items.library_id = NEW.library_id AND items.media_id = of_copy
ON CONFLICT (item_id) DO UPDATE SET library_id = excluded.library_id, created_at = excluded.created_at,
  changed_at = excluded.changed_at, is_archived = excluded.is_archived, is_favourite = excluded.is_favourite,
  is_unread = excluded.is_unread, is_listed = excluded.is_listed, is_hashed = false,
  archived_at = CASE WHEN excluded.is_archived THEN COALESCE(synced_items.archived_at, excluded.archived_at) END,
  favourite_at = CASE WHEN excluded.is_favourite THEN COALESCE(synced_items.favourite_at, excluded.favourite_at) END;
 END LOOP;
  RETURN NULL;
END $$;


--
-- Name: items_sync_update(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.items_sync_update() RETURNS trigger
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    AS $$
DECLARE of_copy uuid;
BEGIN
  
INSERT INTO item_tombstones (item_id, library_id, removed_at) SELECT OLD.id, OLD.library_id, clock_timestamp() WHERE OLD.library_id <> NEW.library_id
ON CONFLICT (item_id, library_id) DO UPDATE SET removed_at = excluded.removed_at;
 DELETE FROM synced_items WHERE item_id = NEW.id AND library_id <> NEW.library_id; FOR of_copy IN SELECT NEW.media_id UNION SELECT id FROM media WHERE superseded_by = NEW.media_id
  UNION SELECT superseded_by FROM media WHERE id = NEW.media_id LOOP 
INSERT INTO synced_items (item_id, library_id, created_at, changed_at, is_archived, is_favourite, is_unread,
  archived_at, favourite_at, is_listed, is_hashed)
SELECT items.id, items.library_id, items.created_at, clock_timestamp(), COALESCE(state.is_archived, false),
  COALESCE(state.is_favourite, false), state.read_at IS NULL, CASE WHEN state.is_archived THEN clock_timestamp() END,
  CASE WHEN state.is_favourite THEN clock_timestamp() END, ((media.superseded_by IS NULL OR NOT (EXISTS (SELECT * 
FROM media AS other 
WHERE other.id = media.superseded_by AND other.processing_status = 'ready_for_reading' AND (SELECT other_item.id 
FROM items AS other_item 
WHERE other_item.library_id = items.library_id AND other_item.media_id = other.id 
 LIMIT 1) IS NOT NULL))) AND (media.processing_status = 'ready_for_reading' OR NOT (EXISTS (SELECT * 
FROM media AS other 
WHERE other.superseded_by = media.id AND (SELECT other_item.id 
FROM items AS other_item 
WHERE other_item.library_id = items.library_id AND other_item.media_id = other.id 
 LIMIT 1) IS NOT NULL))) AND (SELECT earlier_copies.item_id 
FROM earlier_copies 
WHERE earlier_copies.item_id = items.id 
 LIMIT 1) IS NULL), false
FROM items
JOIN libraries ON libraries.id = items.library_id AND libraries.is_default
JOIN media ON media.id = items.media_id
LEFT JOIN reading_states state ON state.media_id = items.media_id AND state.user_id = libraries.owner_id
WHERE items.library_id = NEW.library_id AND items.media_id = of_copy
ON CONFLICT (item_id) DO UPDATE SET library_id = excluded.library_id, created_at = excluded.created_at,
  changed_at = excluded.changed_at, is_archived = excluded.is_archived, is_favourite = excluded.is_favourite,
  is_unread = excluded.is_unread, is_listed = excluded.is_listed, is_hashed = synced_items.is_hashed AND OLD.url = NEW.url AND OLD.media_id = NEW.media_id,
  archived_at = CASE WHEN excluded.is_archived THEN COALESCE(synced_items.archived_at, excluded.archived_at) END,
  favourite_at = CASE WHEN excluded.is_favourite THEN COALESCE(synced_items.favourite_at, excluded.favourite_at) END;
 END LOOP;
  RETURN NULL;
END $$;


--
-- Name: media_mark_insert(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.media_mark_insert() RETURNS trigger
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    AS $$
BEGIN
  INSERT INTO search_media (media_id, version) VALUES (NEW.id, -1) ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;


--
-- Name: media_mark_update(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.media_mark_update() RETURNS trigger
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    AS $$
BEGIN
  UPDATE search_media SET version = -1 WHERE media_id = NEW.id;
  RETURN NULL;
END $$;


--
-- Name: media_sync_card_update(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.media_sync_card_update() RETURNS trigger
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    AS $$
DECLARE of_copy uuid;
BEGIN
  UPDATE synced_items SET changed_at = clock_timestamp() WHERE item_id IN (SELECT id FROM items WHERE media_id = NEW.id);
  RETURN NULL;
END $$;


--
-- Name: media_sync_update(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.media_sync_update() RETURNS trigger
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    AS $$
DECLARE of_copy uuid;
BEGIN
  FOR of_copy IN SELECT NEW.id UNION SELECT id FROM media WHERE superseded_by = NEW.id UNION SELECT NEW.superseded_by LOOP 
INSERT INTO synced_items (item_id, library_id, created_at, changed_at, is_archived, is_favourite, is_unread,
  archived_at, favourite_at, is_listed, is_hashed)
SELECT items.id, items.library_id, items.created_at, clock_timestamp(), COALESCE(state.is_archived, false),
  COALESCE(state.is_favourite, false), state.read_at IS NULL, CASE WHEN state.is_archived THEN clock_timestamp() END,
  CASE WHEN state.is_favourite THEN clock_timestamp() END, ((media.superseded_by IS NULL OR NOT (EXISTS (SELECT * 
FROM media AS other 
WHERE other.id = media.superseded_by AND other.processing_status = 'ready_for_reading' AND (SELECT other_item.id 
FROM items AS other_item 
WHERE other_item.library_id = items.library_id AND other_item.media_id = other.id 
 LIMIT 1) IS NOT NULL))) AND (media.processing_status = 'ready_for_reading' OR NOT (EXISTS (SELECT * 
FROM media AS other 
WHERE other.superseded_by = media.id AND (SELECT other_item.id 
FROM items AS other_item 
WHERE other_item.library_id = items.library_id AND other_item.media_id = other.id 
 LIMIT 1) IS NOT NULL))) AND (SELECT earlier_copies.item_id 
FROM earlier_copies 
WHERE earlier_copies.item_id = items.id 
 LIMIT 1) IS NULL), false
FROM items
JOIN libraries ON libraries.id = items.library_id AND libraries.is_default
JOIN media ON media.id = items.media_id
LEFT JOIN reading_states state ON state.media_id = items.media_id AND state.user_id = libraries.owner_id
WHERE items.media_id = of_copy
ON CONFLICT (item_id) DO UPDATE SET library_id = excluded.library_id, created_at = excluded.created_at,
  changed_at = excluded.changed_at, is_archived = excluded.is_archived, is_favourite = excluded.is_favourite,
  is_unread = excluded.is_unread, is_listed = excluded.is_listed, is_hashed = synced_items.is_hashed AND OLD.canonical_url IS NOT DISTINCT FROM NEW.canonical_url,
  archived_at = CASE WHEN excluded.is_archived THEN COALESCE(synced_items.archived_at, excluded.archived_at) END,
  favourite_at = CASE WHEN excluded.is_favourite THEN COALESCE(synced_items.favourite_at, excluded.favourite_at) END;
 END LOOP;
  RETURN NULL;
END $$;


--
-- Name: reading_states_sync_insert(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.reading_states_sync_insert() RETURNS trigger
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    AS $$
DECLARE of_copy uuid;
BEGIN
  
INSERT INTO synced_items (item_id, library_id, created_at, changed_at, is_archived, is_favourite, is_unread,
  archived_at, favourite_at, is_listed, is_hashed)
SELECT items.id, items.library_id, items.created_at, clock_timestamp(), COALESCE(state.is_archived, false),
  COALESCE(state.is_favourite, false), state.read_at IS NULL, CASE WHEN state.is_archived THEN clock_timestamp() END,
  CASE WHEN state.is_favourite THEN clock_timestamp() END, ((media.superseded_by IS NULL OR NOT (EXISTS (SELECT * 
FROM media AS other 
WHERE other.id = media.superseded_by AND other.processing_status = 'ready_for_reading' AND (SELECT other_item.id 
FROM items AS other_item 
WHERE other_item.library_id = items.library_id AND other_item.media_id = other.id 
 LIMIT 1) IS NOT NULL))) AND (media.processing_status = 'ready_for_reading' OR NOT (EXISTS (SELECT * 
FROM media AS other 
WHERE other.superseded_by = media.id AND (SELECT other_item.id 
FROM items AS other_item 
WHERE other_item.library_id = items.library_id AND other_item.media_id = other.id 
 LIMIT 1) IS NOT NULL))) AND (SELECT earlier_copies.item_id 
FROM earlier_copies 
WHERE earlier_copies.item_id = items.id 
 LIMIT 1) IS NULL), false
FROM items
JOIN libraries ON libraries.id = items.library_id AND libraries.is_default
JOIN media ON media.id = items.media_id
LEFT JOIN reading_states state ON state.media_id = items.media_id AND state.user_id = libraries.owner_id
WHERE items.media_id = NEW.media_id AND items.library_id = (
  SELECT own.id FROM libraries own WHERE own.owner_id = NEW.user_id AND own.is_default)
ON CONFLICT (item_id) DO UPDATE SET library_id = excluded.library_id, created_at = excluded.created_at,
  changed_at = excluded.changed_at, is_archived = excluded.is_archived, is_favourite = excluded.is_favourite,
  is_unread = excluded.is_unread, is_listed = excluded.is_listed, is_hashed = synced_items.is_hashed,
  archived_at = CASE WHEN excluded.is_archived THEN COALESCE(synced_items.archived_at, excluded.archived_at) END,
  favourite_at = CASE WHEN excluded.is_favourite THEN COALESCE(synced_items.favourite_at, excluded.favourite_at) END;

  RETURN NULL;
END $$;


--
-- Name: reading_states_sync_update(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.reading_states_sync_update() RETURNS trigger
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    AS $$
DECLARE of_copy uuid;
BEGIN
  
INSERT INTO synced_items (item_id, library_id, created_at, changed_at, is_archived, is_favourite, is_unread,
  archived_at, favourite_at, is_listed, is_hashed)
SELECT items.id, items.library_id, items.created_at, clock_timestamp(), COALESCE(state.is_archived, false),
  COALESCE(state.is_favourite, false), state.read_at IS NULL, CASE WHEN state.is_archived THEN clock_timestamp() END,
  CASE WHEN state.is_favourite THEN clock_timestamp() END, ((media.superseded_by IS NULL OR NOT (EXISTS (SELECT * 
FROM media AS other 
WHERE other.id = media.superseded_by AND other.processing_status = 'ready_for_reading' AND (SELECT other_item.id 
FROM items AS other_item 
WHERE other_item.library_id = items.library_id AND other_item.media_id = other.id 
 LIMIT 1) IS NOT NULL))) AND (media.processing_status = 'ready_for_reading' OR NOT (EXISTS (SELECT * 
FROM media AS other 
WHERE other.superseded_by = media.id AND (SELECT other_item.id 
FROM items AS other_item 
WHERE other_item.library_id = items.library_id AND other_item.media_id = other.id 
 LIMIT 1) IS NOT NULL))) AND (SELECT earlier_copies.item_id 
FROM earlier_copies 
WHERE earlier_copies.item_id = items.id 
 LIMIT 1) IS NULL), false
FROM items
JOIN libraries ON libraries.id = items.library_id AND libraries.is_default
JOIN media ON media.id = items.media_id
LEFT JOIN reading_states state ON state.media_id = items.media_id AND state.user_id = libraries.owner_id
WHERE items.media_id = NEW.media_id AND items.library_id = (
  SELECT own.id FROM libraries own WHERE own.owner_id = NEW.user_id AND own.is_default)
ON CONFLICT (item_id) DO UPDATE SET library_id = excluded.library_id, created_at = excluded.created_at,
  changed_at = excluded.changed_at, is_archived = excluded.is_archived, is_favourite = excluded.is_favourite,
  is_unread = excluded.is_unread, is_listed = excluded.is_listed, is_hashed = synced_items.is_hashed,
  archived_at = CASE WHEN excluded.is_archived THEN COALESCE(synced_items.archived_at, excluded.archived_at) END,
  favourite_at = CASE WHEN excluded.is_favourite THEN COALESCE(synced_items.favourite_at, excluded.favourite_at) END;

  RETURN NULL;
END $$;


--
-- Name: search_items_follow_insert(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.search_items_follow_insert() RETURNS trigger
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    AS $$
BEGIN
  
INSERT INTO library_numbers (item_no, library_id, media_no)
SELECT item_no, library_id, media_no FROM (
  SELECT (SELECT no FROM search_items WHERE item_id = items.id) AS item_no, items.library_id,
    (SELECT no FROM search_media WHERE media_id = items.media_id) AS media_no
  FROM items WHERE items.id = NEW.item_id) numbered
WHERE item_no IS NOT NULL AND media_no IS NOT NULL
ON CONFLICT (item_no) DO UPDATE SET library_id = excluded.library_id, media_no = excluded.media_no;

  RETURN NULL;
END $$;


--
-- Name: search_media_follow_insert(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.search_media_follow_insert() RETURNS trigger
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    AS $$
BEGIN
  
INSERT INTO library_numbers (item_no, library_id, media_no)
SELECT item_no, library_id, media_no FROM (
  SELECT (SELECT no FROM search_items WHERE item_id = items.id) AS item_no, items.library_id,
    (SELECT no FROM search_media WHERE media_id = items.media_id) AS media_no
  FROM items WHERE items.media_id = NEW.media_id) numbered
WHERE item_no IS NOT NULL AND media_no IS NOT NULL
ON CONFLICT (item_no) DO UPDATE SET library_id = excluded.library_id, media_no = excluded.media_no;

  RETURN NULL;
END $$;


--
-- Name: tags_sync_insert(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.tags_sync_insert() RETURNS trigger
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    AS $$
DECLARE of_copy uuid;
BEGIN
  WHILE NOT EXISTS (SELECT 1 FROM numbers WHERE kind = 'tag' AND subject_id = NEW.id) LOOP INSERT INTO numbers (kind, subject_id) VALUES ('tag', NEW.id) ON CONFLICT DO NOTHING; END LOOP;
  RETURN NULL;
END $$;


--
-- Name: transitions_refuse_change(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.transitions_refuse_change() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
  IF TG_OP = 'UPDATE' OR EXISTS (SELECT 1 FROM media WHERE id = OLD.media_id) THEN
    RAISE EXCEPTION 'history never changes' USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN OLD;
END $$;


SET default_tablespace = '';

SET default_table_access_method = heap;

--
-- Name: alembic_version; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.alembic_version (
    version_num character varying(32) NOT NULL
);


--
-- Name: api_tokens; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.api_tokens (
    id uuid NOT NULL,
    user_id uuid NOT NULL,
    name text NOT NULL,
    token_hash text NOT NULL,
    scopes jsonb NOT NULL,
    created_at timestamp with time zone NOT NULL,
    last_used_at timestamp with time zone
);


--
-- Name: app_tokens; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.app_tokens (
    token_hash text NOT NULL,
    api_token_id uuid NOT NULL,
    kind text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    CONSTRAINT ck_app_tokens_known_kind CHECK ((kind = ANY (ARRAY['access'::text, 'refresh'::text])))
);


--
-- Name: capture_failures; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.capture_failures (
    media_id uuid NOT NULL,
    code text NOT NULL,
    message text NOT NULL,
    failed_at timestamp with time zone NOT NULL
);


--
-- Name: card_words; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.card_words (
    no bigint NOT NULL,
    words tsvector NOT NULL
);


--
-- Name: connect_codes; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.connect_codes (
    code_hash text NOT NULL,
    user_id uuid NOT NULL,
    challenge text NOT NULL,
    name text NOT NULL,
    expires_at timestamp with time zone NOT NULL
);


--
-- Name: documents; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.documents (
    media_id uuid NOT NULL,
    type text NOT NULL,
    page_count integer NOT NULL,
    page_sizes jsonb NOT NULL,
    page_starts jsonb NOT NULL,
    outline jsonb NOT NULL,
    running_text text NOT NULL,
    has_text boolean NOT NULL,
    is_cut boolean NOT NULL,
    CONSTRAINT ck_documents_known_type CHECK ((type = ANY (ARRAY['pdf'::text, 'epub'::text, 'text'::text, 'markdown'::text, 'image'::text])))
);


--
-- Name: earlier_copies; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.earlier_copies (
    item_id uuid NOT NULL,
    shown_item_id uuid NOT NULL
);


--
-- Name: events; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.events (
    id bigint NOT NULL,
    library_id uuid,
    user_id uuid,
    kind text NOT NULL,
    subject_id uuid NOT NULL,
    created_at timestamp with time zone NOT NULL,
    CONSTRAINT ck_events_one_audience CHECK (((library_id IS NULL) <> (user_id IS NULL)))
);


--
-- Name: events_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

CREATE SEQUENCE public.events_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: events_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: -
--

ALTER SEQUENCE public.events_id_seq OWNED BY public.events.id;


--
-- Name: former_texts; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.former_texts (
    id uuid NOT NULL,
    canonical_text text NOT NULL
);


--
-- Name: fragments; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.fragments (
    id uuid NOT NULL,
    media_id uuid NOT NULL,
    ordinal integer NOT NULL,
    html_sanitized text NOT NULL,
    canonical_text text NOT NULL,
    canonical_version integer NOT NULL,
    created_at timestamp with time zone NOT NULL,
    CONSTRAINT ck_fragments_only_one CHECK ((ordinal = 0))
);


--
-- Name: highlight_words; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.highlight_words (
    no bigint NOT NULL,
    words tsvector NOT NULL
);


--
-- Name: highlights; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.highlights (
    id uuid NOT NULL,
    user_id uuid NOT NULL,
    media_id uuid NOT NULL,
    start_offset integer,
    end_offset integer,
    hint integer,
    former_end integer,
    former_text_id uuid,
    quote text NOT NULL,
    prefix text NOT NULL,
    suffix text NOT NULL,
    colour text NOT NULL,
    note text,
    anchored_version integer,
    removed_at timestamp with time zone,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    CONSTRAINT ck_highlights_known_colour CHECK ((colour = ANY (ARRAY['yellow'::text, 'red'::text, 'green'::text, 'blue'::text]))),
    CONSTRAINT ck_highlights_span_has_text CHECK (((start_offset >= 0) AND (start_offset < end_offset))),
    CONSTRAINT ck_highlights_whole_span CHECK (((start_offset IS NULL) = (end_offset IS NULL)))
);


--
-- Name: hosts; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.hosts (
    name text NOT NULL,
    next_at timestamp with time zone NOT NULL
);


--
-- Name: idempotency_keys; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.idempotency_keys (
    user_id uuid NOT NULL,
    key text NOT NULL,
    request_hash text NOT NULL,
    status integer,
    answer jsonb,
    created_at timestamp with time zone NOT NULL
);


--
-- Name: image_assets; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.image_assets (
    id uuid NOT NULL,
    media_id uuid NOT NULL,
    origin_url text NOT NULL,
    blob_key text,
    content_type text,
    created_at timestamp with time zone NOT NULL
);


--
-- Name: image_link_keys; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.image_link_keys (
    user_id uuid NOT NULL,
    key text NOT NULL
);


--
-- Name: import_rows; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.import_rows (
    import_id uuid NOT NULL,
    ordinal integer NOT NULL,
    url text,
    outcome text NOT NULL,
    reason text,
    item_id uuid
);


--
-- Name: imports; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.imports (
    id uuid NOT NULL,
    user_id uuid NOT NULL,
    library_id uuid NOT NULL,
    format text NOT NULL,
    file_name text NOT NULL,
    blob_key text NOT NULL,
    state text NOT NULL,
    rows_total integer,
    options jsonb DEFAULT '{}'::jsonb NOT NULL,
    report jsonb,
    problem text,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL
);


--
-- Name: item_tags; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.item_tags (
    item_id uuid NOT NULL,
    tag_id uuid NOT NULL
);


--
-- Name: item_tombstones; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.item_tombstones (
    item_id uuid NOT NULL,
    library_id uuid NOT NULL,
    removed_at timestamp with time zone NOT NULL
);


--
-- Name: item_words; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.item_words (
    no bigint NOT NULL,
    words tsvector NOT NULL
);


--
-- Name: items; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.items (
    id uuid NOT NULL,
    library_id uuid NOT NULL,
    media_id uuid NOT NULL,
    url text NOT NULL,
    added_by uuid,
    title text,
    excerpt text,
    note text,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL
);


--
-- Name: jobs; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.jobs (
    id uuid NOT NULL,
    kind text NOT NULL,
    subject_id uuid NOT NULL,
    queue text NOT NULL,
    host text,
    priority integer NOT NULL,
    attempt integer NOT NULL,
    run_at timestamp with time zone NOT NULL,
    lease_until timestamp with time zone,
    lease_token uuid,
    published_at timestamp with time zone,
    actor_user_id uuid,
    request_id text,
    enqueued_at timestamp with time zone NOT NULL,
    is_queued_behind boolean DEFAULT false NOT NULL,
    wanted integer DEFAULT 1 NOT NULL,
    first_failure jsonb
);


--
-- Name: libraries; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.libraries (
    id uuid NOT NULL,
    name text NOT NULL,
    owner_id uuid NOT NULL,
    is_default boolean NOT NULL,
    captures_pages boolean DEFAULT false NOT NULL,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL
);


--
-- Name: library_members; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.library_members (
    library_id uuid NOT NULL,
    user_id uuid NOT NULL,
    role text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    CONSTRAINT ck_library_members_known_role CHECK ((role = ANY (ARRAY['admin'::text, 'member'::text])))
);


--
-- Name: library_numbers; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.library_numbers (
    item_no bigint NOT NULL,
    library_id uuid NOT NULL,
    media_no bigint NOT NULL
);


--
-- Name: media; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.media (
    id uuid NOT NULL,
    kind text NOT NULL,
    source_url text NOT NULL,
    canonical_url text,
    title text,
    excerpt text,
    byline text,
    site_name text,
    lang text,
    published_at timestamp with time zone,
    preview_image_url text,
    thumbnail_key text,
    preview_error text,
    favicon_url text,
    metadata jsonb NOT NULL,
    enrichment_status text NOT NULL,
    enrichment_error text,
    enriched_at timestamp with time zone,
    processing_status text NOT NULL,
    failure_code text,
    failure_message text,
    failure_stage text,
    failure_details jsonb,
    processing_attempts integer NOT NULL,
    processing_started_at timestamp with time zone,
    processing_completed_at timestamp with time zone,
    failed_at timestamp with time zone,
    fetched_at timestamp with time zone,
    word_count integer,
    version integer NOT NULL,
    superseded_by uuid,
    is_private boolean DEFAULT false NOT NULL,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    accepts_documents boolean DEFAULT true NOT NULL,
    CONSTRAINT ck_media_known_enrichment_status CHECK ((enrichment_status = ANY (ARRAY['pending'::text, 'succeeded'::text, 'failed'::text]))),
    CONSTRAINT ck_media_known_failure_stage CHECK ((failure_stage = ANY (ARRAY['validate'::text, 'fetch'::text, 'render'::text, 'extract'::text, 'sanitize'::text, 'store'::text]))),
    CONSTRAINT ck_media_known_kind CHECK ((kind = ANY (ARRAY['web_article'::text, 'pdf'::text, 'epub'::text, 'text'::text, 'image'::text]))),
    CONSTRAINT ck_media_known_processing_status CHECK ((processing_status = ANY (ARRAY['pending'::text, 'extracting'::text, 'ready_for_reading'::text, 'failed'::text, 'blocked'::text, 'invalid_url'::text, 'card_only'::text])))
);


--
-- Name: merged_ids; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.merged_ids (
    old_id uuid NOT NULL,
    new_id uuid NOT NULL
);


--
-- Name: merged_items; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.merged_items (
    old_id uuid NOT NULL,
    new_id uuid NOT NULL
);


--
-- Name: numbers; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.numbers (
    no integer NOT NULL,
    kind text NOT NULL,
    subject_id uuid NOT NULL,
    CONSTRAINT ck_numbers_known_kind CHECK ((kind = ANY (ARRAY['item'::text, 'tag'::text, 'highlight'::text])))
);


--
-- Name: numbers_no_seq; Type: SEQUENCE; Schema: public; Owner: -
--

CREATE SEQUENCE public.numbers_no_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: numbers_no_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: -
--

ALTER SEQUENCE public.numbers_no_seq OWNED BY public.numbers.no;


--
-- Name: oauth_clients; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.oauth_clients (
    id uuid NOT NULL,
    details jsonb NOT NULL,
    created_at timestamp with time zone NOT NULL
);


--
-- Name: oauth_grants; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.oauth_grants (
    id uuid NOT NULL,
    client_id uuid NOT NULL,
    code_hash text NOT NULL,
    user_code text,
    code_challenge text,
    redirect_uri text,
    scope text NOT NULL,
    state text NOT NULL,
    user_id uuid,
    polled_at timestamp with time zone,
    created_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    CONSTRAINT ck_oauth_grants_known_state CHECK ((state = ANY (ARRAY['pending'::text, 'approved'::text, 'denied'::text])))
);


--
-- Name: page_captures; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.page_captures (
    media_id uuid NOT NULL,
    format text NOT NULL,
    blob_key text NOT NULL,
    content_type text NOT NULL,
    size bigint NOT NULL,
    digest text,
    user_id uuid,
    created_at timestamp with time zone NOT NULL,
    CONSTRAINT ck_page_captures_known_format CHECK ((format = ANY (ARRAY['upload'::text, 'document'::text, 'mhtml'::text, 'html'::text, 'png'::text, 'pdf'::text])))
);


--
-- Name: page_snapshots; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.page_snapshots (
    media_id uuid NOT NULL,
    final_url text NOT NULL,
    headers jsonb NOT NULL,
    body bytea NOT NULL,
    fetched_at timestamp with time zone NOT NULL
);


--
-- Name: page_words; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.page_words (
    no bigint NOT NULL,
    words tsvector NOT NULL
);


--
-- Name: preferences; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.preferences (
    user_id uuid NOT NULL,
    "values" jsonb NOT NULL,
    updated_at timestamp with time zone NOT NULL
);


--
-- Name: private_pages; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.private_pages (
    library_id uuid NOT NULL,
    url text NOT NULL,
    media_id uuid NOT NULL
);


--
-- Name: reading_states; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.reading_states (
    user_id uuid NOT NULL,
    media_id uuid NOT NULL,
    is_favourite boolean NOT NULL,
    is_archived boolean NOT NULL,
    read_at timestamp with time zone,
    progress double precision NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    CONSTRAINT ck_reading_states_progress_is_a_share CHECK (((progress >= (0)::double precision) AND (progress <= (1)::double precision)))
);


--
-- Name: removed_items; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.removed_items (
    item_id uuid NOT NULL,
    batch_id uuid NOT NULL,
    user_id uuid NOT NULL,
    library_id uuid NOT NULL,
    media_id uuid NOT NULL,
    content jsonb NOT NULL,
    removed_at timestamp with time zone NOT NULL
);


--
-- Name: search_highlights; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.search_highlights (
    no bigint NOT NULL,
    highlight_id uuid NOT NULL,
    version integer NOT NULL
);


--
-- Name: search_highlights_no_seq; Type: SEQUENCE; Schema: public; Owner: -
--

CREATE SEQUENCE public.search_highlights_no_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: search_highlights_no_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: -
--

ALTER SEQUENCE public.search_highlights_no_seq OWNED BY public.search_highlights.no;


--
-- Name: search_items; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.search_items (
    no bigint NOT NULL,
    item_id uuid NOT NULL,
    version integer NOT NULL
);


--
-- Name: search_items_no_seq; Type: SEQUENCE; Schema: public; Owner: -
--

CREATE SEQUENCE public.search_items_no_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: search_items_no_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: -
--

ALTER SEQUENCE public.search_items_no_seq OWNED BY public.search_items.no;


--
-- Name: search_media; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.search_media (
    no bigint NOT NULL,
    media_id uuid NOT NULL,
    version integer NOT NULL
);


--
-- Name: search_media_no_seq; Type: SEQUENCE; Schema: public; Owner: -
--

CREATE SEQUENCE public.search_media_no_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: search_media_no_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: -
--

ALTER SEQUENCE public.search_media_no_seq OWNED BY public.search_media.no;


--
-- Name: sessions; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.sessions (
    id uuid NOT NULL,
    user_id uuid NOT NULL,
    token_hash text NOT NULL,
    user_agent text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    last_seen_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL
);


--
-- Name: setup_links; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.setup_links (
    token_hash text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    used_at timestamp with time zone
);


--
-- Name: synced_items; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.synced_items (
    item_id uuid NOT NULL,
    library_id uuid NOT NULL,
    created_at timestamp with time zone NOT NULL,
    changed_at timestamp with time zone NOT NULL,
    is_archived boolean NOT NULL,
    is_favourite boolean NOT NULL,
    is_unread boolean NOT NULL,
    archived_at timestamp with time zone,
    favourite_at timestamp with time zone,
    is_listed boolean NOT NULL,
    is_hashed boolean NOT NULL
);


--
-- Name: tags; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.tags (
    id uuid NOT NULL,
    library_id uuid NOT NULL,
    name text NOT NULL
);


--
-- Name: transitions; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.transitions (
    id uuid NOT NULL,
    media_id uuid NOT NULL,
    sort_key integer NOT NULL,
    lifecycle text NOT NULL,
    from_state text,
    to_state text NOT NULL,
    metadata jsonb NOT NULL,
    created_at timestamp with time zone NOT NULL,
    CONSTRAINT ck_transitions_known_lifecycle CHECK ((lifecycle = ANY (ARRAY['processing'::text, 'enrichment'::text])))
);


--
-- Name: undo_batches; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.undo_batches (
    id uuid NOT NULL,
    user_id uuid NOT NULL,
    changes jsonb NOT NULL,
    created_at timestamp with time zone NOT NULL
);


--
-- Name: url_aliases; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.url_aliases (
    url text NOT NULL,
    media_id uuid NOT NULL
);


--
-- Name: url_hashes; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.url_hashes (
    item_id uuid NOT NULL,
    hash text NOT NULL,
    library_id uuid NOT NULL
);


--
-- Name: users; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.users (
    id uuid NOT NULL,
    name text NOT NULL,
    password_hash text NOT NULL,
    is_admin boolean NOT NULL,
    created_at timestamp with time zone NOT NULL
);


--
-- Name: events id; Type: DEFAULT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.events ALTER COLUMN id SET DEFAULT nextval('public.events_id_seq'::regclass);


--
-- Name: numbers no; Type: DEFAULT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.numbers ALTER COLUMN no SET DEFAULT nextval('public.numbers_no_seq'::regclass);


--
-- Name: search_highlights no; Type: DEFAULT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.search_highlights ALTER COLUMN no SET DEFAULT nextval('public.search_highlights_no_seq'::regclass);


--
-- Name: search_items no; Type: DEFAULT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.search_items ALTER COLUMN no SET DEFAULT nextval('public.search_items_no_seq'::regclass);


--
-- Name: search_media no; Type: DEFAULT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.search_media ALTER COLUMN no SET DEFAULT nextval('public.search_media_no_seq'::regclass);


--
-- Data for Name: alembic_version; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.alembic_version VALUES
	('0001');


--
-- Data for Name: api_tokens; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.api_tokens VALUES
	('01a1ef01-2ff3-74d0-b822-2de09f3add3b', '01a1ef01-2fd9-71b3-95f0-0ef231d47f92', 'An extension', '08c1d121a7b90e1d045517391ef554cd724c8480dfc2a39dd044681eb6fe8cc1', '["save"]', '2026-11-18 14:13:14.85742+00', NULL),
	('01a1ef01-2ff1-7439-abf4-606a78543036', '01a1ef01-2fd9-71b3-95f0-0ef231d47f92', 'A script', '75dd22da76449c07f0a2a680b999217664ce162c1cf643cc2e57d98127dadc3b', '["read", "write"]', '2026-11-18 14:13:14.85742+00', '2026-11-18 14:13:14.85742+00');


--
-- Data for Name: app_tokens; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.app_tokens VALUES
	('daae1cefd1a317a417052893f036f7a208da6945420d3d84b90f9261b7324f1b', '01a1ef01-2ff1-7439-abf4-606a78543036', 'access', '2026-11-18 14:13:14.85742+00', '2026-11-18 15:13:14.85742+00'),
	('89af9c8f9c8f454f2334bb3f40bc43f18d8dd99f529c4c9b21d7906f0b7ad767', '01a1ef01-2ff1-7439-abf4-606a78543036', 'refresh', '2026-11-18 14:13:14.85742+00', '2026-12-02 14:13:14.85742+00');


--
-- Data for Name: capture_failures; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.capture_failures VALUES
	('3b666385-50e3-46b2-bbf6-d3e7bb6324da', 'E_FETCH_FAILED', 'It did not work.', '2026-11-18 14:13:15.459645+00');


--
-- Data for Name: card_words; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.card_words VALUES
	(1, '''harbour'':2A ''the'':1A'),
	(7, '''a'':1A ''card'':2A ''example'':5B'),
	(12, '''harbour'':2A ''the'':1A'),
	(14, '''pilots'':1A'),
	(18, '''members'':1A ''only'':2A'),
	(21, ''),
	(23, '''already'':2A ''read'':1A'),
	(26, '''half'':1A ''read'':2A'),
	(29, '''removed'':1A'),
	(32, '''a'':1A ''paper'':2A'),
	(35, '''no'':1A ''page'':3A ''whole'':2A');


--
-- Data for Name: connect_codes; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.connect_codes VALUES
	('eb23f4c4cd60af87fdd663feeea2d30d4db3b496525a006439eeee611cebca71', '01a1ef01-2fd9-71b3-95f0-0ef231d47f92', 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', 'A browser', '2026-11-18 14:18:14.85742+00');


--
-- Data for Name: documents; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.documents VALUES
	('86ed5d81-77a5-44b2-b6d6-9e5c7dee2abf', 'pdf', 1, '[[595, 842]]', '[0]', '[{"page": 1, "level": 1, "title": "Tides"}]', 'Draft', true, false);


--
-- Data for Name: earlier_copies; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.earlier_copies VALUES
	('01a1ef01-31a5-7748-b599-0e28deb13ae2', '01a1ef01-3171-77cf-857d-b8ac659ee5c2');


--
-- Data for Name: events; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.events VALUES
	(1, '01a1ef01-2fde-727e-bda7-1187cad8e298', NULL, 'added', '01a1ef01-3026-72b4-9b7b-9b7700afac76', '2026-11-18 14:13:14.903762+00'),
	(2, '01a1ef01-2fde-727e-bda7-1187cad8e298', NULL, 'added', '01a1ef01-3026-72b4-9b7b-9b7700afac76', '2026-11-18 14:13:14.968617+00'),
	(3, '01a1ef01-300e-770a-8d8a-ea0827733646', NULL, 'added', '01a1ef01-305c-74b4-b2ab-b492bd93896c', '2026-11-18 14:13:14.968617+00'),
	(4, '01a1ef01-2fde-727e-bda7-1187cad8e298', NULL, 'added', '01a1ef01-306f-73ed-8e46-2bacde8ca33f', '2026-11-18 14:13:14.986269+00'),
	(5, '01a1ef01-2fde-727e-bda7-1187cad8e298', NULL, 'added', '01a1ef01-307c-76ca-9f13-622bff1616bc', '2026-11-18 14:13:14.999375+00'),
	(6, '01a1ef01-2fde-727e-bda7-1187cad8e298', NULL, 'added', '01a1ef01-3088-7754-9edf-7ebda8246e34', '2026-11-18 14:13:15.012548+00'),
	(7, '01a1ef01-2fde-727e-bda7-1187cad8e298', NULL, 'added', '01a1ef01-30aa-72ab-a93b-c6ccd8a8dd6f', '2026-11-18 14:13:15.043541+00'),
	(8, '01a1ef01-2fde-727e-bda7-1187cad8e298', NULL, 'added', '01a1ef01-30bb-75c2-82a0-c0e21f8874a9', '2026-11-18 14:13:15.063368+00'),
	(9, '01a1ef01-2fde-727e-bda7-1187cad8e298', NULL, 'added', '01a1ef01-30cf-7630-a495-89e59dc7db05', '2026-11-18 14:13:15.076712+00'),
	(10, '01a1ef01-2fde-727e-bda7-1187cad8e298', NULL, 'added', '01a1ef01-30dd-71a3-969a-aa2e3d3c8997', '2026-11-18 14:13:15.095499+00'),
	(11, NULL, '01a1ef01-2fd9-71b3-95f0-0ef231d47f92', 'highlights', '01a1ef01-3026-72b4-9b7b-9b7700afac76', '2026-11-18 14:13:15.120226+00'),
	(12, NULL, '01a1ef01-2fd9-71b3-95f0-0ef231d47f92', 'highlights', '01a1ef01-305c-74b4-b2ab-b492bd93896c', '2026-11-18 14:13:15.120226+00'),
	(13, NULL, '01a1ef01-2fd9-71b3-95f0-0ef231d47f92', 'highlights', '01a1ef01-3026-72b4-9b7b-9b7700afac76', '2026-11-18 14:13:15.141429+00'),
	(14, NULL, '01a1ef01-2fd9-71b3-95f0-0ef231d47f92', 'highlights', '01a1ef01-305c-74b4-b2ab-b492bd93896c', '2026-11-18 14:13:15.141429+00'),
	(15, NULL, '01a1ef01-2fd9-71b3-95f0-0ef231d47f92', 'highlights', '01a1ef01-3026-72b4-9b7b-9b7700afac76', '2026-11-18 14:13:15.156194+00'),
	(16, NULL, '01a1ef01-2fd9-71b3-95f0-0ef231d47f92', 'highlights', '01a1ef01-305c-74b4-b2ab-b492bd93896c', '2026-11-18 14:13:15.156194+00'),
	(17, NULL, '01a1ef01-2fd9-71b3-95f0-0ef231d47f92', 'highlights', '01a1ef01-3026-72b4-9b7b-9b7700afac76', '2026-11-18 14:13:15.162375+00'),
	(18, NULL, '01a1ef01-2fd9-71b3-95f0-0ef231d47f92', 'highlights', '01a1ef01-305c-74b4-b2ab-b492bd93896c', '2026-11-18 14:13:15.162375+00'),
	(19, '01a1ef01-2fde-727e-bda7-1187cad8e298', NULL, 'changed', '01a1ef01-3026-72b4-9b7b-9b7700afac76', '2026-11-18 14:13:15.16651+00'),
	(20, '01a1ef01-300e-770a-8d8a-ea0827733646', NULL, 'changed', '01a1ef01-305c-74b4-b2ab-b492bd93896c', '2026-11-18 14:13:15.16651+00'),
	(21, '01a1ef01-2fde-727e-bda7-1187cad8e298', NULL, 'added', '01a1ef01-3158-714d-a34c-920f5b0d4ac5', '2026-11-18 14:13:15.221507+00'),
	(22, '01a1ef01-2fde-727e-bda7-1187cad8e298', NULL, 'added', '01a1ef01-3168-764a-a71b-4ea995841894', '2026-11-18 14:13:15.237488+00'),
	(23, '01a1ef01-2fde-727e-bda7-1187cad8e298', NULL, 'added', '01a1ef01-3171-77cf-857d-b8ac659ee5c2', '2026-11-18 14:13:15.245821+00'),
	(24, '01a1ef01-2fde-727e-bda7-1187cad8e298', NULL, 'merged', '01a1ef01-3168-764a-a71b-4ea995841894', '2026-11-18 14:13:15.265291+00'),
	(25, '01a1ef01-2fde-727e-bda7-1187cad8e298', NULL, 'added', '01a1ef01-31c2-708b-b4e6-43f185840c66', '2026-11-18 14:13:15.32776+00'),
	(26, '01a1ef01-2fde-727e-bda7-1187cad8e298', NULL, 'added', '01a1ef01-31d1-7379-8d66-239ea24c78b0', '2026-11-18 14:13:15.342773+00'),
	(27, '01a1ef01-2fde-727e-bda7-1187cad8e298', NULL, 'added', '01a1ef01-31de-7627-9378-e6f894f567f8', '2026-11-18 14:13:15.356114+00'),
	(28, NULL, '01a1ef01-2fd9-71b3-95f0-0ef231d47f92', 'reading', '01a1ef01-31c2-708b-b4e6-43f185840c66', '2026-11-18 14:13:15.369367+00'),
	(29, '01a1ef01-2fde-727e-bda7-1187cad8e298', NULL, 'changed', '01a1ef01-31c2-708b-b4e6-43f185840c66', '2026-11-18 14:13:15.369367+00'),
	(30, NULL, '01a1ef01-2fd9-71b3-95f0-0ef231d47f92', 'reading', '01a1ef01-31d1-7379-8d66-239ea24c78b0', '2026-11-18 14:13:15.369367+00'),
	(31, '01a1ef01-2fde-727e-bda7-1187cad8e298', NULL, 'removed', '01a1ef01-31de-7627-9378-e6f894f567f8', '2026-11-18 14:13:15.369367+00'),
	(32, '01a1ef01-2fde-727e-bda7-1187cad8e298', NULL, 'added', '01a1ef01-3215-7050-864e-2f98a8f09312', '2026-11-18 14:13:15.407361+00'),
	(33, '01a1ef01-2fde-727e-bda7-1187cad8e298', NULL, 'added', '01a1ef01-3232-71a8-a7a7-a9ec7ae9872a', '2026-11-18 14:13:15.432017+00');


--
-- Data for Name: former_texts; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.former_texts VALUES
	('01a1ef01-3145-77dd-9165-e4764846deaa', 'Morning

Nobody who walked along the quay that morning thought of the gale to come.

The ferry lay at its pier, and the pilots drank their coffee.');


--
-- Data for Name: fragments; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.fragments VALUES
	('ad4762e8-65b9-4d9a-bc5a-136d6701b2f7', 'd3962cdc-a959-42b1-a78a-8029afc2b21e', 0, '<p></p><h2>Morning</h2><p>Nobody who walked along the quay that morning thought of the gale to come.</p><p></p><p></p><p>The ferry lay at its pier, and the <a href="https://example.org/pilots" target="_blank" rel="noopener noreferrer" referrerpolicy="no-referrer">pilots</a> drank their coffee.</p><p></p><p><img src="/api/images/5228ffb0-b686-55ec-a7be-12507a00e822" alt="The quay"></p>', 'Morning

Nobody who walked along the quay that morning thought of the gale to come.

The ferry lay at its pier, and the pilots drank their coffee.', 1, '2026-11-18 14:13:14.950935+00'),
	('e712839a-e4b6-4ccb-b727-c6c38ecac7fb', '7e6f4399-ea32-488a-8114-e598e965a6dd', 0, '<p>Nobody who walked along the quay thought of the gale. The ferry has been sold.</p>', 'Nobody who walked along the quay thought of the gale. The ferry has been sold.', 1, '2026-11-18 14:13:15.175793+00'),
	('4a6a6cf8-c1eb-42bd-9ab7-a6459b4c4fae', '5fd1298c-1246-4d9b-b435-6eec51c7fc73', 0, '<p>Pilots know the shoals.</p>', 'Pilots know the shoals.', 1, '2026-11-18 14:13:15.229652+00'),
	('70a20b80-7224-4f0c-ade2-b2a0473a5b34', '3015501c-ed4f-4442-b125-16be2d8bc3b3', 0, '<p>What everybody is shown.</p>', 'What everybody is shown.', 1, '2026-11-18 14:13:15.254159+00'),
	('a8fa755b-44a6-484c-80f8-a8a007938380', '1be9fbd5-95de-4b14-90b8-8d08bda59d35', 0, '<p>What members are shown.</p>', 'What members are shown.', 1, '2026-11-18 14:13:15.315654+00'),
	('1005ac36-965c-437d-93cd-9b5c94edd853', '455e67bc-38a0-42ab-ba15-bb3b1849d9fa', 0, '<p>The end of it.</p>', 'The end of it.', 1, '2026-11-18 14:13:15.335406+00'),
	('52d6b554-a440-4824-9ec9-267be94f1460', 'c34e2458-7d13-46f7-842f-97d1ff93c902', 0, '<p>The middle of it.</p>', 'The middle of it.', 1, '2026-11-18 14:13:15.34957+00'),
	('91774026-a101-43f2-9596-5398667fcd2c', '10ae1889-8b77-4204-894f-90d4263e529d', 0, '<p>Nobody needs it.</p>', 'Nobody needs it.', 1, '2026-11-18 14:13:15.364384+00'),
	('f09ad2e4-4c62-4730-aab5-da8bf52cf72d', '86ed5d81-77a5-44b2-b6d6-9e5c7dee2abf', 0, '<p>Tides and pilots.</p>', 'Tides and pilots.', 1, '2026-11-18 14:13:15.420451+00'),
	('5803a8d6-a7e4-424f-a85a-64560d31ef7f', '3b666385-50e3-46b2-bbf6-d3e7bb6324da', 0, '<p>It went away.</p>', 'It went away.', 1, '2026-11-18 14:13:15.449658+00');


--
-- Data for Name: highlight_words; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.highlight_words VALUES
	(1, '''a'':7B ''barometer'':8B ''gale'':4C ''of'':2C ''the'':3C ''thought'':1C'),
	(2, '''coffee'':3C ''drank'':1C ''their'':2C'),
	(3, '''morning'':1C');


--
-- Data for Name: highlights; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.highlights VALUES
	('01a1ef01-3118-769e-b1bf-68d7f7c6b1c3', '01a1ef01-2fd9-71b3-95f0-0ef231d47f92', '7e6f4399-ea32-488a-8114-e598e965a6dd', NULL, NULL, 0, 7, '01a1ef01-3145-77dd-9165-e4764846deaa', 'Morning', '', '

Nobody who walked along the qu', 'red', NULL, NULL, '2026-11-18 14:13:15.162375+00', '2026-11-18 14:13:15.156194+00', '2026-11-18 14:13:15.156194+00'),
	('01a1ef01-30fd-7042-8c84-b81df11de36d', '01a1ef01-2fd9-71b3-95f0-0ef231d47f92', '7e6f4399-ea32-488a-8114-e598e965a6dd', NULL, NULL, 55, 74, '01a1ef01-3145-77dd-9165-e4764846deaa', 'thought of the gale', 'ked along the quay that morning ', ' to come.

The ferry lay at its ', 'blue', 'a barometer', NULL, NULL, '2026-11-18 14:13:15.120226+00', '2026-11-18 14:13:15.120226+00'),
	('01a1ef01-310f-73b0-bed2-e50e279a6294', '01a1ef01-2fd9-71b3-95f0-0ef231d47f92', '7e6f4399-ea32-488a-8114-e598e965a6dd', NULL, NULL, 127, 145, '01a1ef01-3145-77dd-9165-e4764846deaa', 'drank their coffee', 'lay at its pier, and the pilots ', '.', 'yellow', NULL, NULL, NULL, '2026-11-18 14:13:15.141429+00', '2026-11-18 14:13:15.141429+00');


--
-- Data for Name: hosts; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.hosts VALUES
	('example.org', '2026-11-18 14:13:20.104543+00');


--
-- Data for Name: idempotency_keys; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.idempotency_keys VALUES
	('01a1ef01-2fd9-71b3-95f0-0ef231d47f92', 'a key', 'af0bf2a562dabe2a81e0b0b47a33a515b5e8495c72fff218af4c15f3f066fa44', 201, '{"data": {}}', '2026-11-18 14:13:16.10904+00');


--
-- Data for Name: image_assets; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.image_assets VALUES
	('5228ffb0-b686-55ec-a7be-12507a00e822', 'd3962cdc-a959-42b1-a78a-8029afc2b21e', 'https://example.org/quay.png', NULL, NULL, '2026-11-18 14:13:14.950935+00');


--
-- Data for Name: image_link_keys; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.image_link_keys VALUES
	('01a1ef01-2fd9-71b3-95f0-0ef231d47f92', 'zksaZvdWtd1vddwS02ncI-2u80Hd2TR1zcCFw-Wufhc');


--
-- Data for Name: import_rows; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.import_rows VALUES
	('01a1ef01-3251-7479-9477-16af16baa341', 0, 'https://example.org/imported', 'imported', NULL, '01a1ef01-349a-70c7-994d-98cf9bf2a6dd'),
	('01a1ef01-3251-7479-9477-16af16baa341', 1, 'https://example.org/harbour', 'already_there', NULL, '01a1ef01-3026-72b4-9b7b-9b7700afac76'),
	('01a1ef01-3251-7479-9477-16af16baa341', 2, 'ftp://example.org/a', 'rejected', 'This is not a web page: ftp: URLs cannot be fetched.', NULL);


--
-- Data for Name: imports; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.imports VALUES
	('01a1ef01-3251-7479-9477-16af16baa341', '01a1ef01-2fd9-71b3-95f0-0ef231d47f92', '01a1ef01-2fde-727e-bda7-1187cad8e298', 'urls', 'file', 'imports/41/01a1ef0132517479947716af16baa341', 'done', 3, '{"bytes": 77, "start": true, "counts": {"imported": 1, "rejected": 1, "already_there": 1}, "folders": "tags", "crawl_at": "2026-11-18T14:13:15.802971+00:00"}', '{"rows": 3, "samples": [{"url": "https://example.org/imported", "tags": [], "title": null, "is_read": false, "library": null, "added_at": null}], "imported": 1, "problems": [{"text": "This is not a web page: %(scheme)s: URLs cannot be fetched.", "count": 1, "reason": "This is not a web page: ftp: URLs cannot be fetched.", "values": {"scheme": "ftp"}, "example": "ftp://example.org/a"}], "rejected": 1, "highlights": 0, "with_article": 0, "already_there": 1}', NULL, '2026-11-18 14:13:15.468019+00', '2026-11-18 14:13:16.087953+00');


--
-- Data for Name: item_tags; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.item_tags VALUES
	('01a1ef01-3026-72b4-9b7b-9b7700afac76', '01a1ef01-3032-731c-9ed3-2812761754a3'),
	('01a1ef01-3026-72b4-9b7b-9b7700afac76', '01a1ef01-3032-731c-9ed3-2813619f11d8'),
	('01a1ef01-30cf-7630-a495-89e59dc7db05', '01a1ef01-30cf-7630-a495-89e6f45d4093'),
	('01a1ef01-31c2-708b-b4e6-43f185840c66', '01a1ef01-31ef-75f2-a8bf-0fd39b18d8cd');


--
-- Data for Name: item_tombstones; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.item_tombstones VALUES
	('01a1ef01-3124-7530-9af1-127cfccf9943', '01a1ef01-2fde-727e-bda7-1187cad8e298', '2026-11-18 14:13:15.185873+00'),
	('01a1ef01-3168-764a-a71b-4ea995841894', '01a1ef01-2fde-727e-bda7-1187cad8e298', '2026-11-18 14:13:15.277993+00'),
	('01a1ef01-31de-7627-9378-e6f894f567f8', '01a1ef01-2fde-727e-bda7-1187cad8e298', '2026-11-18 14:13:15.404252+00');


--
-- Data for Name: item_words; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.item_words VALUES
	(1, '''example'':8C ''harbour'':10C ''https'':7C ''org'':9C ''reise'':1A ''seaside'':2A ''site:example.org'':13'),
	(3, '''a'':7B ''example'':12C ''for'':4B ''harbour'':14C ''https'':11C ''lantern'':8B ''org'':13C ''ours'':1A ''site:example.org'':17 ''team'':6B ''the'':5B'),
	(5, '''1'':11C ''alert'':10C ''javascript'':9C ''not'':1A ''of'':2A ''the'':3A ''web'':4A'),
	(7, '''example'':6C ''failed'':8C ''https'':5C ''org'':7C ''site:example.org'':11'),
	(9, '''blocked'':8C ''example'':6C ''https'':5C ''org'':7C ''site:example.org'':11'),
	(11, '''card'':8C ''example'':6C ''https'':5C ''org'':7C ''site:example.org'':11'),
	(13, '''example'':6C ''extracting'':8C ''https'':5C ''org'':7C ''site:example.org'':11'),
	(15, '''example'':7C ''https'':6C ''later'':1A ''org'':8C ''pending'':9C ''site:example.org'':12'),
	(17, '''example'':6C ''https'':5C ''org'':7C ''pending'':8C ''site:example.org'':12 ''too'':9C'),
	(21, '''example'':6C ''harbour'':8C ''https'':5C ''org'':7C ''site:example.org'':11'),
	(27, '''example'':6C ''https'':5C ''members'':8C ''org'':7C ''site:example.org'':11'),
	(23, '''a'':3B ''example'':8C ''https'':7C ''org'':9C ''pilots'':10C ''sextant'':4B ''site:example.org'':13'),
	(30, '''example'':6C ''https'':5C ''members'':8C ''org'':7C ''site:example.org'':11'),
	(34, '''begun'':8C ''example'':6C ''https'':5C ''org'':7C ''site:example.org'':11'),
	(32, '''done'':1A ''example'':7C ''https'':6C ''org'':8C ''read'':9C ''site:example.org'':12'),
	(39, '''example'':6C ''https'':5C ''org'':7C ''paper'':8C ''pdf'':9C ''site:example.org'':12'),
	(41, '''example'':6C ''https'':5C ''lost'':8C ''org'':7C ''site:example.org'':11'),
	(43, '''example'':6C ''https'':5C ''imported'':8C ''org'':7C ''site:example.org'':11');


--
-- Data for Name: items; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.items VALUES
	('01a1ef01-305c-74b4-b2ab-b492bd93896c', '01a1ef01-300e-770a-8d8a-ea0827733646', 'd3962cdc-a959-42b1-a78a-8029afc2b21e', 'https://example.org/harbour', '01a1ef01-2fd9-71b3-95f0-0ef231d47f92', 'Ours', NULL, 'For the team: a lantern', '2026-11-18 14:13:14.968617+00', '2026-11-18 14:13:14.968617+00'),
	('01a1ef01-306f-73ed-8e46-2bacde8ca33f', '01a1ef01-2fde-727e-bda7-1187cad8e298', '45dffe09-9cec-4cae-ae5e-a3217b174b61', 'javascript:alert(1)', '01a1ef01-2fd9-71b3-95f0-0ef231d47f92', 'Not of the web', NULL, NULL, '2026-11-18 14:13:14.986269+00', '2026-11-18 14:13:14.986269+00'),
	('01a1ef01-307c-76ca-9f13-622bff1616bc', '01a1ef01-2fde-727e-bda7-1187cad8e298', '60d20fa4-8738-43d7-b852-70e59e835c10', 'https://example.org/failed', '01a1ef01-2fd9-71b3-95f0-0ef231d47f92', NULL, NULL, NULL, '2026-11-18 14:13:14.999375+00', '2026-11-18 14:13:14.999375+00'),
	('01a1ef01-3088-7754-9edf-7ebda8246e34', '01a1ef01-2fde-727e-bda7-1187cad8e298', '8c68ca4a-5e25-4e4c-97b6-14a396517eca', 'https://example.org/blocked', '01a1ef01-2fd9-71b3-95f0-0ef231d47f92', NULL, NULL, NULL, '2026-11-18 14:13:15.012548+00', '2026-11-18 14:13:15.012548+00'),
	('01a1ef01-30aa-72ab-a93b-c6ccd8a8dd6f', '01a1ef01-2fde-727e-bda7-1187cad8e298', 'f77b2bd3-6bd7-4b13-9a4d-4daf8e20065d', 'https://example.org/card', '01a1ef01-2fd9-71b3-95f0-0ef231d47f92', NULL, NULL, NULL, '2026-11-18 14:13:15.043541+00', '2026-11-18 14:13:15.043541+00'),
	('01a1ef01-30bb-75c2-82a0-c0e21f8874a9', '01a1ef01-2fde-727e-bda7-1187cad8e298', '3c7cdeb1-99ae-4e7f-97d0-c0da48ad86af', 'https://example.org/extracting', '01a1ef01-2fd9-71b3-95f0-0ef231d47f92', NULL, NULL, NULL, '2026-11-18 14:13:15.063368+00', '2026-11-18 14:13:15.063368+00'),
	('01a1ef01-30cf-7630-a495-89e59dc7db05', '01a1ef01-2fde-727e-bda7-1187cad8e298', 'bec6515d-3d8d-448a-9ced-cac55b3a989a', 'https://example.org/pending', '01a1ef01-2fd9-71b3-95f0-0ef231d47f92', NULL, NULL, NULL, '2026-11-18 14:13:15.076712+00', '2026-11-18 14:13:15.076712+00'),
	('01a1ef01-30dd-71a3-969a-aa2e3d3c8997', '01a1ef01-2fde-727e-bda7-1187cad8e298', '61dd227d-13c2-4b16-b5ce-7f804ed3e5bb', 'https://example.org/pending-too', '01a1ef01-2fd9-71b3-95f0-0ef231d47f92', NULL, NULL, NULL, '2026-11-18 14:13:15.095499+00', '2026-11-18 14:13:15.095499+00'),
	('01a1ef01-3026-72b4-9b7b-9b7700afac76', '01a1ef01-2fde-727e-bda7-1187cad8e298', '7e6f4399-ea32-488a-8114-e598e965a6dd', 'https://example.org/harbour', '01a1ef01-2fd9-71b3-95f0-0ef231d47f92', NULL, NULL, NULL, '2026-11-18 14:13:14.903762+00', '2026-11-18 14:13:15.175793+00'),
	('01a1ef01-313a-72ac-b4cb-20b36d8d076a', '01a1ef01-2fde-727e-bda7-1187cad8e298', 'd3962cdc-a959-42b1-a78a-8029afc2b21e', 'https://example.org/harbour', '01a1ef01-2fd9-71b3-95f0-0ef231d47f92', NULL, NULL, NULL, '2026-11-18 14:13:14.903762+00', '2026-11-18 14:13:15.175793+00'),
	('01a1ef01-3158-714d-a34c-920f5b0d4ac5', '01a1ef01-2fde-727e-bda7-1187cad8e298', '5fd1298c-1246-4d9b-b435-6eec51c7fc73', 'https://example.org/pilots', '01a1ef01-2fd9-71b3-95f0-0ef231d47f92', NULL, NULL, 'a sextant', '2026-11-18 14:13:15.221507+00', '2026-11-18 14:13:15.265291+00'),
	('01a1ef01-3171-77cf-857d-b8ac659ee5c2', '01a1ef01-2fde-727e-bda7-1187cad8e298', '1be9fbd5-95de-4b14-90b8-8d08bda59d35', 'https://example.org/members', '01a1ef01-2fd9-71b3-95f0-0ef231d47f92', NULL, NULL, NULL, '2026-11-18 14:13:15.245821+00', '2026-11-18 14:13:15.265291+00'),
	('01a1ef01-31a5-7748-b599-0e28deb13ae2', '01a1ef01-2fde-727e-bda7-1187cad8e298', '3015501c-ed4f-4442-b125-16be2d8bc3b3', 'https://example.org/members', '01a1ef01-2fd9-71b3-95f0-0ef231d47f92', NULL, NULL, NULL, '2026-11-18 14:13:15.245821+00', '2026-11-18 14:13:15.265291+00'),
	('01a1ef01-31d1-7379-8d66-239ea24c78b0', '01a1ef01-2fde-727e-bda7-1187cad8e298', 'c34e2458-7d13-46f7-842f-97d1ff93c902', 'https://example.org/begun', '01a1ef01-2fd9-71b3-95f0-0ef231d47f92', NULL, NULL, NULL, '2026-11-18 14:13:15.342773+00', '2026-11-18 14:13:15.342773+00'),
	('01a1ef01-31c2-708b-b4e6-43f185840c66', '01a1ef01-2fde-727e-bda7-1187cad8e298', '455e67bc-38a0-42ab-ba15-bb3b1849d9fa', 'https://example.org/read', '01a1ef01-2fd9-71b3-95f0-0ef231d47f92', NULL, NULL, NULL, '2026-11-18 14:13:15.32776+00', '2026-11-18 14:13:15.369367+00'),
	('01a1ef01-3215-7050-864e-2f98a8f09312', '01a1ef01-2fde-727e-bda7-1187cad8e298', '86ed5d81-77a5-44b2-b6d6-9e5c7dee2abf', 'https://example.org/paper.pdf', '01a1ef01-2fd9-71b3-95f0-0ef231d47f92', NULL, NULL, NULL, '2026-11-18 14:13:15.407361+00', '2026-11-18 14:13:15.407361+00'),
	('01a1ef01-3232-71a8-a7a7-a9ec7ae9872a', '01a1ef01-2fde-727e-bda7-1187cad8e298', '3b666385-50e3-46b2-bbf6-d3e7bb6324da', 'https://example.org/lost', '01a1ef01-2fd9-71b3-95f0-0ef231d47f92', NULL, NULL, NULL, '2026-11-18 14:13:15.432017+00', '2026-11-18 14:13:15.432017+00'),
	('01a1ef01-349a-70c7-994d-98cf9bf2a6dd', '01a1ef01-2fde-727e-bda7-1187cad8e298', '5bbf1f25-8e49-40af-8409-e61db1601711', 'https://example.org/imported', '01a1ef01-2fd9-71b3-95f0-0ef231d47f92', NULL, NULL, NULL, '2026-11-18 14:13:16.052582+00', '2026-11-18 14:13:16.052582+00');


--
-- Data for Name: jobs; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.jobs VALUES
	('01a1ef01-30dc-7059-9b3d-0a64c96df6a0', 'ingest', '61dd227d-13c2-4b16-b5ce-7f804ed3e5bb', 'ingest', 'example.org', 0, 0, '2026-11-18 14:13:15.095499+00', NULL, NULL, NULL, '01a1ef01-2fd9-71b3-95f0-0ef231d47f92', NULL, '2026-11-18 14:13:15.095499+00', true, 1, 'null'),
	('01a1ef01-30a8-7021-b4b7-d63c79206cab', 'ingest', 'f77b2bd3-6bd7-4b13-9a4d-4daf8e20065d', 'ingest', 'example.org', 0, 1, '2026-11-18 14:13:15.043541+00', '2026-11-18 14:14:15.104543+00', '1542cc4b-cfa9-4fe5-afe1-409c2dd2aadb', NULL, '01a1ef01-2fd9-71b3-95f0-0ef231d47f92', NULL, '2026-11-18 14:13:15.043541+00', false, 1, 'null'),
	('01a1ef01-30ba-736a-8292-9a9c6a05b21c', 'ingest', '3c7cdeb1-99ae-4e7f-97d0-c0da48ad86af', 'ingest', 'example.org', 0, 0, '2026-11-18 14:13:20.104543+00', NULL, NULL, NULL, '01a1ef01-2fd9-71b3-95f0-0ef231d47f92', NULL, '2026-11-18 14:13:15.063368+00', false, 1, 'null'),
	('01a1ef01-314f-72fa-b183-d5120431db38', 'anchor_highlights', '7e6f4399-ea32-488a-8114-e598e965a6dd', 'ingest', NULL, 0, 0, '2026-11-18 14:13:15.175793+00', NULL, NULL, NULL, NULL, NULL, '2026-11-18 14:13:15.175793+00', false, 1, 'null'),
	('01a1ef01-30ca-75eb-bbed-cbb2cf52d63f', 'ingest', 'bec6515d-3d8d-448a-9ced-cac55b3a989a', 'ingest', 'example.org', 0, 0, '2026-11-18 14:13:15.16651+00', NULL, NULL, NULL, '01a1ef01-2fd9-71b3-95f0-0ef231d47f92', NULL, '2026-11-18 14:13:15.076712+00', false, 1, 'null'),
	('01a1ef01-34a3-75a8-9bed-c13aff769fdc', 'ingest', '5bbf1f25-8e49-40af-8409-e61db1601711', 'ingest', 'example.org', 10, 0, '2026-11-18 14:13:16.052582+00', NULL, NULL, NULL, '01a1ef01-2fd9-71b3-95f0-0ef231d47f92', NULL, '2026-11-18 14:13:16.052582+00', true, 1, 'null');


--
-- Data for Name: libraries; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.libraries VALUES
	('01a1ef01-2fde-727e-bda7-1187cad8e298', 'My library', '01a1ef01-2fd9-71b3-95f0-0ef231d47f92', true, false, '2026-11-18 14:13:14.84021+00', '2026-11-18 14:13:14.84021+00'),
	('01a1ef01-300d-7458-b144-005e32a7c4c9', 'My library', '01a1ef01-300c-748c-b1f3-f18a1f994516', true, false, '2026-11-18 14:13:14.892527+00', '2026-11-18 14:13:14.892527+00'),
	('01a1ef01-300e-770a-8d8a-ea0827733646', 'Team', '01a1ef01-2fd9-71b3-95f0-0ef231d47f92', false, true, '2026-11-18 14:13:14.894447+00', '2026-11-18 14:13:14.899638+00');


--
-- Data for Name: library_members; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.library_members VALUES
	('01a1ef01-2fde-727e-bda7-1187cad8e298', '01a1ef01-2fd9-71b3-95f0-0ef231d47f92', 'admin', '2026-11-18 14:13:14.84021+00'),
	('01a1ef01-300d-7458-b144-005e32a7c4c9', '01a1ef01-300c-748c-b1f3-f18a1f994516', 'admin', '2026-11-18 14:13:14.892527+00'),
	('01a1ef01-300e-770a-8d8a-ea0827733646', '01a1ef01-2fd9-71b3-95f0-0ef231d47f92', 'admin', '2026-11-18 14:13:14.894447+00'),
	('01a1ef01-300e-770a-8d8a-ea0827733646', '01a1ef01-300c-748c-b1f3-f18a1f994516', 'member', '2026-11-18 14:13:14.895798+00');


--
-- Data for Name: library_numbers; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.library_numbers VALUES
	(3, '01a1ef01-300e-770a-8d8a-ea0827733646', 1),
	(5, '01a1ef01-2fde-727e-bda7-1187cad8e298', 4),
	(7, '01a1ef01-2fde-727e-bda7-1187cad8e298', 5),
	(9, '01a1ef01-2fde-727e-bda7-1187cad8e298', 6),
	(11, '01a1ef01-2fde-727e-bda7-1187cad8e298', 7),
	(13, '01a1ef01-2fde-727e-bda7-1187cad8e298', 8),
	(15, '01a1ef01-2fde-727e-bda7-1187cad8e298', 10),
	(17, '01a1ef01-2fde-727e-bda7-1187cad8e298', 11),
	(1, '01a1ef01-2fde-727e-bda7-1187cad8e298', 12),
	(21, '01a1ef01-2fde-727e-bda7-1187cad8e298', 1),
	(23, '01a1ef01-2fde-727e-bda7-1187cad8e298', 14),
	(27, '01a1ef01-2fde-727e-bda7-1187cad8e298', 21),
	(30, '01a1ef01-2fde-727e-bda7-1187cad8e298', 18),
	(32, '01a1ef01-2fde-727e-bda7-1187cad8e298', 23),
	(34, '01a1ef01-2fde-727e-bda7-1187cad8e298', 26),
	(39, '01a1ef01-2fde-727e-bda7-1187cad8e298', 32),
	(41, '01a1ef01-2fde-727e-bda7-1187cad8e298', 35),
	(43, '01a1ef01-2fde-727e-bda7-1187cad8e298', 38);


--
-- Data for Name: media; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.media VALUES
	('45dffe09-9cec-4cae-ae5e-a3217b174b61', 'web_article', 'javascript:alert(1)', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{}', 'failed', 'This is not a web page, so there is nothing to fetch. It is kept as it was saved.', NULL, 'invalid_url', 'E_URL_INVALID', 'This is not a web page, so there is nothing to fetch. It is kept as it was saved.', 'validate', 'null', 0, NULL, NULL, '2026-11-18 14:13:14.986269+00', NULL, NULL, 2, NULL, false, '2026-11-18 14:13:14.986269+00', '2026-11-18 14:13:14.986269+00', true),
	('60d20fa4-8738-43d7-b852-70e59e835c10', 'web_article', 'https://example.org/failed', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{}', 'pending', NULL, NULL, 'failed', 'E_FETCH_FAILED', 'It did not work.', 'extract', 'null', 0, NULL, NULL, '2026-11-18 14:13:15.022638+00', NULL, NULL, 3, NULL, false, '2026-11-18 14:13:14.999375+00', '2026-11-18 14:13:15.022638+00', true),
	('8c68ca4a-5e25-4e4c-97b6-14a396517eca', 'web_article', 'https://example.org/blocked', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{}', 'pending', NULL, NULL, 'blocked', 'E_FETCH_FAILED', 'It did not work.', 'extract', 'null', 0, NULL, NULL, '2026-11-18 14:13:15.035247+00', NULL, NULL, 3, NULL, false, '2026-11-18 14:13:15.012548+00', '2026-11-18 14:13:15.035247+00', true),
	('455e67bc-38a0-42ab-ba15-bb3b1849d9fa', 'web_article', 'https://example.org/read', NULL, 'Read already', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{}', 'pending', NULL, NULL, 'ready_for_reading', NULL, NULL, NULL, 'null', 0, NULL, '2026-11-18 14:13:15.335406+00', NULL, '2026-11-18 14:13:15.335406+00', 4, 3, NULL, false, '2026-11-18 14:13:15.32776+00', '2026-11-18 14:13:15.335406+00', true),
	('bec6515d-3d8d-448a-9ced-cac55b3a989a', 'web_article', 'https://example.org/pending', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{}', 'pending', NULL, NULL, 'pending', NULL, NULL, NULL, 'null', 0, NULL, NULL, NULL, NULL, NULL, 1, NULL, false, '2026-11-18 14:13:15.076712+00', '2026-11-18 14:13:15.076712+00', true),
	('61dd227d-13c2-4b16-b5ce-7f804ed3e5bb', 'web_article', 'https://example.org/pending-too', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{}', 'pending', NULL, NULL, 'pending', NULL, NULL, NULL, 'null', 0, NULL, NULL, NULL, NULL, NULL, 1, NULL, false, '2026-11-18 14:13:15.095499+00', '2026-11-18 14:13:15.095499+00', true),
	('f77b2bd3-6bd7-4b13-9a4d-4daf8e20065d', 'web_article', 'https://example.org/card', NULL, 'A card', NULL, NULL, 'Example', NULL, NULL, NULL, NULL, NULL, NULL, '{}', 'pending', NULL, NULL, 'card_only', NULL, NULL, NULL, 'null', 0, NULL, NULL, NULL, NULL, NULL, 2, NULL, false, '2026-11-18 14:13:15.043541+00', '2026-11-18 14:13:15.105198+00', true),
	('3c7cdeb1-99ae-4e7f-97d0-c0da48ad86af', 'web_article', 'https://example.org/extracting', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{}', 'pending', NULL, NULL, 'extracting', NULL, NULL, NULL, 'null', 0, NULL, NULL, NULL, NULL, NULL, 2, NULL, false, '2026-11-18 14:13:15.063368+00', '2026-11-18 14:13:15.104543+00', true),
	('d3962cdc-a959-42b1-a78a-8029afc2b21e', 'web_article', 'https://example.org/harbour', NULL, 'The harbour', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{}', 'pending', NULL, NULL, 'ready_for_reading', NULL, NULL, NULL, 'null', 0, NULL, '2026-11-18 14:13:14.950935+00', NULL, '2026-11-18 14:13:14.950935+00', 27, 3, '7e6f4399-ea32-488a-8114-e598e965a6dd', false, '2026-11-18 14:13:14.903762+00', '2026-11-18 14:13:15.175793+00', true),
	('7e6f4399-ea32-488a-8114-e598e965a6dd', 'web_article', 'https://example.org/harbour', NULL, 'The harbour', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{}', 'pending', NULL, NULL, 'ready_for_reading', NULL, NULL, NULL, 'null', 0, NULL, '2026-11-18 14:13:15.175793+00', NULL, '2026-11-18 14:13:15.175793+00', 15, 3, NULL, false, '2026-11-18 14:13:15.16651+00', '2026-11-18 14:13:15.175793+00', true),
	('5fd1298c-1246-4d9b-b435-6eec51c7fc73', 'web_article', 'https://example.org/pilots', NULL, 'Pilots', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{}', 'pending', NULL, NULL, 'ready_for_reading', NULL, NULL, NULL, 'null', 0, NULL, '2026-11-18 14:13:15.229652+00', NULL, '2026-11-18 14:13:15.229652+00', 4, 3, NULL, false, '2026-11-18 14:13:15.221507+00', '2026-11-18 14:13:15.229652+00', true),
	('3015501c-ed4f-4442-b125-16be2d8bc3b3', 'web_article', 'https://example.org/members', NULL, 'Members only', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{}', 'pending', NULL, NULL, 'ready_for_reading', NULL, NULL, NULL, 'null', 0, NULL, '2026-11-18 14:13:15.254159+00', NULL, '2026-11-18 14:13:15.254159+00', 4, 3, NULL, false, '2026-11-18 14:13:15.245821+00', '2026-11-18 14:13:15.254159+00', true),
	('1be9fbd5-95de-4b14-90b8-8d08bda59d35', 'web_article', 'https://example.org/members', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{}', 'pending', NULL, NULL, 'ready_for_reading', NULL, NULL, NULL, 'null', 0, NULL, '2026-11-18 14:13:15.315654+00', NULL, '2026-11-18 14:13:15.315654+00', 4, 3, NULL, true, '2026-11-18 14:13:15.265291+00', '2026-11-18 14:13:15.315654+00', true),
	('c34e2458-7d13-46f7-842f-97d1ff93c902', 'web_article', 'https://example.org/begun', NULL, 'Half read', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{}', 'pending', NULL, NULL, 'ready_for_reading', NULL, NULL, NULL, 'null', 0, NULL, '2026-11-18 14:13:15.34957+00', NULL, '2026-11-18 14:13:15.34957+00', 4, 3, NULL, false, '2026-11-18 14:13:15.342773+00', '2026-11-18 14:13:15.34957+00', true),
	('10ae1889-8b77-4204-894f-90d4263e529d', 'web_article', 'https://example.org/gone', NULL, 'Removed', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{}', 'pending', NULL, NULL, 'ready_for_reading', NULL, NULL, NULL, 'null', 0, NULL, '2026-11-18 14:13:15.364384+00', NULL, '2026-11-18 14:13:15.364384+00', 3, 3, NULL, false, '2026-11-18 14:13:15.356114+00', '2026-11-18 14:13:15.364384+00', true),
	('3b666385-50e3-46b2-bbf6-d3e7bb6324da', 'web_article', 'https://example.org/lost', NULL, 'No whole page', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{}', 'pending', NULL, NULL, 'ready_for_reading', NULL, NULL, NULL, 'null', 0, NULL, '2026-11-18 14:13:15.449658+00', NULL, '2026-11-18 14:13:15.449658+00', 3, 3, NULL, false, '2026-11-18 14:13:15.432017+00', '2026-11-18 14:13:15.449658+00', true),
	('86ed5d81-77a5-44b2-b6d6-9e5c7dee2abf', 'pdf', 'https://example.org/paper.pdf', NULL, 'A paper', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{}', 'pending', NULL, NULL, 'ready_for_reading', NULL, NULL, NULL, 'null', 0, NULL, '2026-11-18 14:13:15.420451+00', NULL, '2026-11-18 14:13:15.420451+00', 3, 3, NULL, false, '2026-11-18 14:13:15.407361+00', '2026-11-18 14:13:15.459645+00', true),
	('5bbf1f25-8e49-40af-8409-e61db1601711', 'web_article', 'https://example.org/imported', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{}', 'pending', NULL, NULL, 'pending', NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, 1, NULL, false, '2026-11-18 14:13:16.052582+00', '2026-11-18 14:13:16.052582+00', true);


--
-- Data for Name: merged_ids; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.merged_ids VALUES
	('f4de5840-d776-40d3-902d-10f58033fc8a', '5fd1298c-1246-4d9b-b435-6eec51c7fc73');


--
-- Data for Name: merged_items; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.merged_items VALUES
	('01a1ef01-3124-7530-9af1-127cfccf9943', '01a1ef01-3026-72b4-9b7b-9b7700afac76'),
	('01a1ef01-3168-764a-a71b-4ea995841894', '01a1ef01-3158-714d-a34c-920f5b0d4ac5');


--
-- Data for Name: numbers; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.numbers VALUES
	(1, 'item', '01a1ef01-3026-72b4-9b7b-9b7700afac76'),
	(2, 'tag', '01a1ef01-3032-731c-9ed3-2812761754a3'),
	(3, 'tag', '01a1ef01-3032-731c-9ed3-2813619f11d8'),
	(4, 'item', '01a1ef01-305c-74b4-b2ab-b492bd93896c'),
	(5, 'item', '01a1ef01-306f-73ed-8e46-2bacde8ca33f'),
	(6, 'item', '01a1ef01-307c-76ca-9f13-622bff1616bc'),
	(7, 'item', '01a1ef01-3088-7754-9edf-7ebda8246e34'),
	(8, 'item', '01a1ef01-30aa-72ab-a93b-c6ccd8a8dd6f'),
	(9, 'item', '01a1ef01-30bb-75c2-82a0-c0e21f8874a9'),
	(10, 'item', '01a1ef01-30cf-7630-a495-89e59dc7db05'),
	(11, 'tag', '01a1ef01-30cf-7630-a495-89e6f45d4093'),
	(12, 'item', '01a1ef01-30dd-71a3-969a-aa2e3d3c8997'),
	(13, 'highlight', '01a1ef01-30fd-7042-8c84-b81df11de36d'),
	(14, 'highlight', '01a1ef01-310f-73b0-bed2-e50e279a6294'),
	(15, 'highlight', '01a1ef01-3118-769e-b1bf-68d7f7c6b1c3'),
	(16, 'item', '01a1ef01-3124-7530-9af1-127cfccf9943'),
	(17, 'item', '01a1ef01-313a-72ac-b4cb-20b36d8d076a'),
	(18, 'item', '01a1ef01-3158-714d-a34c-920f5b0d4ac5'),
	(19, 'item', '01a1ef01-3168-764a-a71b-4ea995841894'),
	(20, 'item', '01a1ef01-3171-77cf-857d-b8ac659ee5c2'),
	(21, 'item', '01a1ef01-31a5-7748-b599-0e28deb13ae2'),
	(22, 'item', '01a1ef01-31c2-708b-b4e6-43f185840c66'),
	(23, 'item', '01a1ef01-31d1-7379-8d66-239ea24c78b0'),
	(24, 'item', '01a1ef01-31de-7627-9378-e6f894f567f8'),
	(25, 'tag', '01a1ef01-31ef-75f2-a8bf-0fd39b18d8cd'),
	(26, 'item', '01a1ef01-3215-7050-864e-2f98a8f09312'),
	(27, 'item', '01a1ef01-3232-71a8-a7a7-a9ec7ae9872a'),
	(28, 'item', '01a1ef01-349a-70c7-994d-98cf9bf2a6dd');


--
-- Data for Name: oauth_clients; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.oauth_clients VALUES
	('01a1ef01-2fff-7520-a31d-f87cc5a2f3b6', '{"name": "An app", "redirect_uris": ["https://example.org/callback"]}', '2026-11-18 14:13:14.85742+00');


--
-- Data for Name: oauth_grants; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.oauth_grants VALUES
	('01a1ef01-3004-76e2-a569-534c91bb8db0', '01a1ef01-2fff-7520-a31d-f87cc5a2f3b6', 'd925b057c894236d290ac5f96994cdcb2a047675bf0170a01d5bbb6278f5e307', 'WFTJMDRK', NULL, NULL, 'bookmarks:read', 'pending', NULL, NULL, '2026-11-18 14:13:14.85742+00', '2026-11-18 14:18:14.85742+00');


--
-- Data for Name: page_captures; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.page_captures VALUES
	('86ed5d81-77a5-44b2-b6d6-9e5c7dee2abf', 'document', 'pages/bf/86ed5d8177a544b2b6d69e5c7dee2abf/00000000000000000000000000000000-document.pdf', 'application/pdf', 1234, '0000000000000000000000000000000000000000000000000000000000000000', '01a1ef01-2fd9-71b3-95f0-0ef231d47f92', '2026-11-18 14:13:15.459645+00');


--
-- Data for Name: page_snapshots; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.page_snapshots VALUES
	('3c7cdeb1-99ae-4e7f-97d0-c0da48ad86af', 'https://example.org/extracting', '{"content-type": "text/html"}', '\x636f6d70726573736564', '2026-11-18 14:13:15.104543+00');


--
-- Data for Name: page_words; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.page_words VALUES
	(1, '''along'':9 ''and'':26 ''at'':23 ''coffee'':31 ''come'':19 ''drank'':29 ''ferry'':21 ''gale'':17 ''harbour'':2B ''its'':24 ''lay'':22 ''morning'':5,13 ''nobody'':6 ''of'':15 ''pier'':25 ''pilots'':28 ''quay'':11 ''that'':12 ''the'':1B,10,16,20,27 ''their'':30 ''thought'':14 ''to'':18 ''walked'':8 ''who'':7'),
	(12, '''along'':8 ''been'':18 ''ferry'':16 ''gale'':14 ''harbour'':2B ''has'':17 ''nobody'':5 ''of'':12 ''quay'':10 ''sold'':19 ''the'':1B,9,13,15 ''thought'':11 ''walked'':7 ''who'':6'),
	(14, '''know'':5 ''pilots'':1B,4 ''shoals'':7 ''the'':6'),
	(18, '''everybody'':6 ''is'':7 ''members'':1B ''only'':2B ''shown'':8 ''what'':5'),
	(21, '''are'':5 ''members'':4 ''shown'':6 ''what'':3'),
	(23, '''already'':2B ''end'':6 ''it'':8 ''of'':7 ''read'':1B ''the'':5'),
	(26, '''half'':1B ''it'':8 ''middle'':6 ''of'':7 ''read'':2B ''the'':5'),
	(29, '''it'':6 ''needs'':5 ''nobody'':4 ''removed'':1B'),
	(32, '''a'':1B ''and'':6 ''paper'':2B ''pilots'':7 ''tides'':5'),
	(35, '''away'':8 ''it'':6 ''no'':1B ''page'':3B ''went'':7 ''whole'':2B');


--
-- Data for Name: preferences; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.preferences VALUES
	('01a1ef01-2fd9-71b3-95f0-0ef231d47f92', '{"theme": "dark", "language": "de"}', '2026-11-18 14:13:14.85742+00');


--
-- Data for Name: private_pages; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.private_pages VALUES
	('01a1ef01-2fde-727e-bda7-1187cad8e298', 'https://example.org/members', '1be9fbd5-95de-4b14-90b8-8d08bda59d35');


--
-- Data for Name: reading_states; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.reading_states VALUES
	('01a1ef01-2fd9-71b3-95f0-0ef231d47f92', '455e67bc-38a0-42ab-ba15-bb3b1849d9fa', true, true, '2026-11-18 14:13:15.369367+00', 0, '2026-11-18 14:13:15.369367+00'),
	('01a1ef01-2fd9-71b3-95f0-0ef231d47f92', 'c34e2458-7d13-46f7-842f-97d1ff93c902', false, false, NULL, 0.5, '2026-11-18 14:13:15.369367+00');


--
-- Data for Name: removed_items; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.removed_items VALUES
	('01a1ef01-31de-7627-9378-e6f894f567f8', '01a1ef01-31fb-7724-bb80-9cf62c69c16a', '01a1ef01-2fd9-71b3-95f0-0ef231d47f92', '01a1ef01-2fde-727e-bda7-1187cad8e298', '10ae1889-8b77-4204-894f-90d4263e529d', '{"url": "https://example.org/gone", "note": null, "tags": ["seaside"], "title": null, "excerpt": null, "added_by": "01a1ef01-2fd9-71b3-95f0-0ef231d47f92", "created_at": "2026-11-18T14:13:15.356114+00:00"}', '2026-11-18 14:13:15.369367+00');


--
-- Data for Name: search_highlights; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.search_highlights VALUES
	(1, '01a1ef01-30fd-7042-8c84-b81df11de36d', 2),
	(2, '01a1ef01-310f-73b0-bed2-e50e279a6294', 2),
	(3, '01a1ef01-3118-769e-b1bf-68d7f7c6b1c3', 2);


--
-- Data for Name: search_items; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.search_items VALUES
	(1, '01a1ef01-3026-72b4-9b7b-9b7700afac76', 2),
	(3, '01a1ef01-305c-74b4-b2ab-b492bd93896c', 2),
	(5, '01a1ef01-306f-73ed-8e46-2bacde8ca33f', 2),
	(7, '01a1ef01-307c-76ca-9f13-622bff1616bc', 2),
	(9, '01a1ef01-3088-7754-9edf-7ebda8246e34', 2),
	(11, '01a1ef01-30aa-72ab-a93b-c6ccd8a8dd6f', 2),
	(13, '01a1ef01-30bb-75c2-82a0-c0e21f8874a9', 2),
	(15, '01a1ef01-30cf-7630-a495-89e59dc7db05', 2),
	(17, '01a1ef01-30dd-71a3-969a-aa2e3d3c8997', 2),
	(21, '01a1ef01-313a-72ac-b4cb-20b36d8d076a', 2),
	(27, '01a1ef01-3171-77cf-857d-b8ac659ee5c2', 2),
	(23, '01a1ef01-3158-714d-a34c-920f5b0d4ac5', 2),
	(30, '01a1ef01-31a5-7748-b599-0e28deb13ae2', 2),
	(34, '01a1ef01-31d1-7379-8d66-239ea24c78b0', 2),
	(32, '01a1ef01-31c2-708b-b4e6-43f185840c66', 2),
	(39, '01a1ef01-3215-7050-864e-2f98a8f09312', 2),
	(41, '01a1ef01-3232-71a8-a7a7-a9ec7ae9872a', 2),
	(43, '01a1ef01-349a-70c7-994d-98cf9bf2a6dd', 2);


--
-- Data for Name: search_media; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.search_media VALUES
	(1, 'd3962cdc-a959-42b1-a78a-8029afc2b21e', 2),
	(4, '45dffe09-9cec-4cae-ae5e-a3217b174b61', -1),
	(5, '60d20fa4-8738-43d7-b852-70e59e835c10', -1),
	(6, '8c68ca4a-5e25-4e4c-97b6-14a396517eca', -1),
	(8, '3c7cdeb1-99ae-4e7f-97d0-c0da48ad86af', -1),
	(7, 'f77b2bd3-6bd7-4b13-9a4d-4daf8e20065d', 2),
	(10, 'bec6515d-3d8d-448a-9ced-cac55b3a989a', -1),
	(11, '61dd227d-13c2-4b16-b5ce-7f804ed3e5bb', -1),
	(12, '7e6f4399-ea32-488a-8114-e598e965a6dd', 2),
	(14, '5fd1298c-1246-4d9b-b435-6eec51c7fc73', 2),
	(18, '3015501c-ed4f-4442-b125-16be2d8bc3b3', 2),
	(21, '1be9fbd5-95de-4b14-90b8-8d08bda59d35', 2),
	(23, '455e67bc-38a0-42ab-ba15-bb3b1849d9fa', 2),
	(26, 'c34e2458-7d13-46f7-842f-97d1ff93c902', 2),
	(29, '10ae1889-8b77-4204-894f-90d4263e529d', 2),
	(32, '86ed5d81-77a5-44b2-b6d6-9e5c7dee2abf', 2),
	(35, '3b666385-50e3-46b2-bbf6-d3e7bb6324da', 2),
	(38, '5bbf1f25-8e49-40af-8409-e61db1601711', -1);


--
-- Data for Name: sessions; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.sessions VALUES
	('01a1ef01-2fec-70e7-827e-f7c10864a5fb', '01a1ef01-2fd9-71b3-95f0-0ef231d47f92', '1868027c2304ee448f2aaa22b1b621616584c10a00efe820a7d6019d254d49bf', 'A browser', '2026-11-18 14:13:14.85742+00', '2026-11-18 14:13:14.85742+00', '2026-12-18 14:13:14.85742+00');


--
-- Data for Name: setup_links; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.setup_links VALUES
	('b60153d95aa5ab7b692f3e6870bb5a70310ff8a053a6f20abefb6efca763582f', '2026-11-18 14:13:14.820675+00', '2026-11-19 14:13:14.820675+00', NULL);


--
-- Data for Name: synced_items; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.synced_items VALUES
	('01a1ef01-306f-73ed-8e46-2bacde8ca33f', '01a1ef01-2fde-727e-bda7-1187cad8e298', '2026-11-18 14:13:14.986269+00', '2026-11-18 14:13:14.993416+00', false, false, true, NULL, NULL, true, true),
	('01a1ef01-307c-76ca-9f13-622bff1616bc', '01a1ef01-2fde-727e-bda7-1187cad8e298', '2026-11-18 14:13:14.999375+00', '2026-11-18 14:13:15.027268+00', false, false, true, NULL, NULL, true, true),
	('01a1ef01-3088-7754-9edf-7ebda8246e34', '01a1ef01-2fde-727e-bda7-1187cad8e298', '2026-11-18 14:13:15.012548+00', '2026-11-18 14:13:15.038558+00', false, false, true, NULL, NULL, true, true),
	('01a1ef01-30cf-7630-a495-89e59dc7db05', '01a1ef01-2fde-727e-bda7-1187cad8e298', '2026-11-18 14:13:15.076712+00', '2026-11-18 14:13:15.090171+00', false, false, true, NULL, NULL, true, true),
	('01a1ef01-30dd-71a3-969a-aa2e3d3c8997', '01a1ef01-2fde-727e-bda7-1187cad8e298', '2026-11-18 14:13:15.095499+00', '2026-11-18 14:13:15.101648+00', false, false, true, NULL, NULL, true, true),
	('01a1ef01-30aa-72ab-a93b-c6ccd8a8dd6f', '01a1ef01-2fde-727e-bda7-1187cad8e298', '2026-11-18 14:13:15.043541+00', '2026-11-18 14:13:15.106704+00', false, false, true, NULL, NULL, true, true),
	('01a1ef01-30bb-75c2-82a0-c0e21f8874a9', '01a1ef01-2fde-727e-bda7-1187cad8e298', '2026-11-18 14:13:15.063368+00', '2026-11-18 14:13:15.107899+00', false, false, true, NULL, NULL, true, true),
	('01a1ef01-313a-72ac-b4cb-20b36d8d076a', '01a1ef01-2fde-727e-bda7-1187cad8e298', '2026-11-18 14:13:14.903762+00', '2026-11-18 14:13:15.195533+00', false, false, true, NULL, NULL, false, true),
	('01a1ef01-3026-72b4-9b7b-9b7700afac76', '01a1ef01-2fde-727e-bda7-1187cad8e298', '2026-11-18 14:13:14.903762+00', '2026-11-18 14:13:15.208511+00', false, false, true, NULL, NULL, true, true),
	('01a1ef01-3158-714d-a34c-920f5b0d4ac5', '01a1ef01-2fde-727e-bda7-1187cad8e298', '2026-11-18 14:13:15.221507+00', '2026-11-18 14:13:15.268989+00', false, false, true, NULL, NULL, true, true),
	('01a1ef01-31a5-7748-b599-0e28deb13ae2', '01a1ef01-2fde-727e-bda7-1187cad8e298', '2026-11-18 14:13:15.245821+00', '2026-11-18 14:13:15.30526+00', false, false, true, NULL, NULL, false, true),
	('01a1ef01-3171-77cf-857d-b8ac659ee5c2', '01a1ef01-2fde-727e-bda7-1187cad8e298', '2026-11-18 14:13:15.245821+00', '2026-11-18 14:13:15.318462+00', false, false, true, NULL, NULL, true, true),
	('01a1ef01-31c2-708b-b4e6-43f185840c66', '01a1ef01-2fde-727e-bda7-1187cad8e298', '2026-11-18 14:13:15.32776+00', '2026-11-18 14:13:15.377216+00', true, true, false, '2026-11-18 14:13:15.373513+00', '2026-11-18 14:13:15.373513+00', true, true),
	('01a1ef01-31d1-7379-8d66-239ea24c78b0', '01a1ef01-2fde-727e-bda7-1187cad8e298', '2026-11-18 14:13:15.342773+00', '2026-11-18 14:13:15.387005+00', false, false, true, NULL, NULL, true, true),
	('01a1ef01-3215-7050-864e-2f98a8f09312', '01a1ef01-2fde-727e-bda7-1187cad8e298', '2026-11-18 14:13:15.407361+00', '2026-11-18 14:13:15.425638+00', false, false, true, NULL, NULL, true, true),
	('01a1ef01-3232-71a8-a7a7-a9ec7ae9872a', '01a1ef01-2fde-727e-bda7-1187cad8e298', '2026-11-18 14:13:15.432017+00', '2026-11-18 14:13:15.453797+00', false, false, true, NULL, NULL, true, true),
	('01a1ef01-349a-70c7-994d-98cf9bf2a6dd', '01a1ef01-2fde-727e-bda7-1187cad8e298', '2026-11-18 14:13:16.052582+00', '2026-11-18 14:13:16.06184+00', false, false, true, NULL, NULL, true, true);


--
-- Data for Name: tags; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.tags VALUES
	('01a1ef01-3032-731c-9ed3-2812761754a3', '01a1ef01-2fde-727e-bda7-1187cad8e298', 'reise'),
	('01a1ef01-3032-731c-9ed3-2813619f11d8', '01a1ef01-2fde-727e-bda7-1187cad8e298', 'seaside'),
	('01a1ef01-30cf-7630-a495-89e6f45d4093', '01a1ef01-2fde-727e-bda7-1187cad8e298', 'later'),
	('01a1ef01-31ef-75f2-a8bf-0fd39b18d8cd', '01a1ef01-2fde-727e-bda7-1187cad8e298', 'done');


--
-- Data for Name: transitions; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.transitions VALUES
	('01a1ef01-301f-7199-a153-742f3338c709', 'd3962cdc-a959-42b1-a78a-8029afc2b21e', 1, 'processing', NULL, 'pending', '{}', '2026-11-18 14:13:14.903762+00'),
	('01a1ef01-304d-74fe-ab3f-af50a1cd2030', 'd3962cdc-a959-42b1-a78a-8029afc2b21e', 2, 'processing', 'pending', 'extracting', '{"attempt": 1, "fetch_ms": 12, "redirects": 0, "http_status": 200}', '2026-11-18 14:13:14.950935+00'),
	('01a1ef01-3050-76bf-98d0-bc962c99d441', 'd3962cdc-a959-42b1-a78a-8029afc2b21e', 3, 'processing', 'extracting', 'ready_for_reading', '{"via": "http", "extract_ms": 5}', '2026-11-18 14:13:14.950935+00'),
	('01a1ef01-306d-71bf-97bb-247950465388', '45dffe09-9cec-4cae-ae5e-a3217b174b61', 1, 'processing', NULL, 'invalid_url', '{"code": "E_URL_INVALID", "message": "This is not a web page, so there is nothing to fetch. It is kept as it was saved.", "validation_reason": "scheme"}', '2026-11-18 14:13:14.986269+00'),
	('01a1ef01-306e-7675-8097-8e47db0907c7', '45dffe09-9cec-4cae-ae5e-a3217b174b61', 2, 'enrichment', 'pending', 'failed', '{}', '2026-11-18 14:13:14.986269+00'),
	('01a1ef01-307a-7568-8446-15d86970bb0f', '60d20fa4-8738-43d7-b852-70e59e835c10', 1, 'processing', NULL, 'pending', '{}', '2026-11-18 14:13:14.999375+00'),
	('01a1ef01-3086-7098-8d19-c044819cc3a6', '8c68ca4a-5e25-4e4c-97b6-14a396517eca', 1, 'processing', NULL, 'pending', '{}', '2026-11-18 14:13:15.012548+00'),
	('01a1ef01-3091-77b6-9c5c-f812a75f6fc9', '60d20fa4-8738-43d7-b852-70e59e835c10', 2, 'processing', 'pending', 'extracting', '{"attempt": 1, "fetch_ms": 12, "redirects": 0, "http_status": 200}', '2026-11-18 14:13:15.022638+00'),
	('01a1ef01-3095-759e-aabb-b0457130a18b', '60d20fa4-8738-43d7-b852-70e59e835c10', 3, 'processing', 'extracting', 'failed', '{"code": "E_FETCH_FAILED", "message": "It did not work."}', '2026-11-18 14:13:15.022638+00'),
	('01a1ef01-309c-77b2-a169-7a93feb6fcb6', '8c68ca4a-5e25-4e4c-97b6-14a396517eca', 2, 'processing', 'pending', 'extracting', '{"attempt": 1, "fetch_ms": 12, "redirects": 0, "http_status": 200}', '2026-11-18 14:13:15.035247+00'),
	('01a1ef01-309e-7278-acc0-8d7598a915d6', '8c68ca4a-5e25-4e4c-97b6-14a396517eca', 3, 'processing', 'extracting', 'blocked', '{"code": "E_FETCH_FAILED", "message": "It did not work."}', '2026-11-18 14:13:15.035247+00'),
	('01a1ef01-30a7-720d-bb49-f4ff581787f0', 'f77b2bd3-6bd7-4b13-9a4d-4daf8e20065d', 1, 'processing', NULL, 'pending', '{}', '2026-11-18 14:13:15.043541+00'),
	('01a1ef01-30b9-7276-9fea-fb05f2c3fcca', '3c7cdeb1-99ae-4e7f-97d0-c0da48ad86af', 1, 'processing', NULL, 'pending', '{}', '2026-11-18 14:13:15.063368+00'),
	('01a1ef01-30c6-7127-93d6-064368367e41', 'bec6515d-3d8d-448a-9ced-cac55b3a989a', 1, 'processing', NULL, 'pending', '{}', '2026-11-18 14:13:15.076712+00'),
	('01a1ef01-30db-7755-b2ce-c03d22907d09', '61dd227d-13c2-4b16-b5ce-7f804ed3e5bb', 1, 'processing', NULL, 'pending', '{}', '2026-11-18 14:13:15.095499+00'),
	('01a1ef01-30e2-75a6-a485-848b3e3c38d9', 'f77b2bd3-6bd7-4b13-9a4d-4daf8e20065d', 2, 'processing', 'pending', 'card_only', '{}', '2026-11-18 14:13:15.105198+00'),
	('01a1ef01-30e4-77cb-93ef-16698bfafbe2', '3c7cdeb1-99ae-4e7f-97d0-c0da48ad86af', 2, 'processing', 'pending', 'extracting', '{"attempt": 1, "fetch_ms": 12, "redirects": 0, "http_status": 200}', '2026-11-18 14:13:15.104543+00'),
	('01a1ef01-3121-7580-87d7-3f31d7cebb38', '7e6f4399-ea32-488a-8114-e598e965a6dd', 1, 'processing', NULL, 'pending', '{}', '2026-11-18 14:13:15.16651+00'),
	('01a1ef01-3129-766e-b537-f9c294a93df2', '7e6f4399-ea32-488a-8114-e598e965a6dd', 2, 'processing', 'pending', 'extracting', '{"attempt": 1, "fetch_ms": 12, "redirects": 0, "http_status": 200}', '2026-11-18 14:13:15.175793+00'),
	('01a1ef01-312a-7774-a49e-f143bba6a03e', '7e6f4399-ea32-488a-8114-e598e965a6dd', 3, 'processing', 'extracting', 'ready_for_reading', '{"via": "http", "extract_ms": 5}', '2026-11-18 14:13:15.175793+00'),
	('01a1ef01-3157-7131-83ae-9a9c990fd6a6', '5fd1298c-1246-4d9b-b435-6eec51c7fc73', 1, 'processing', NULL, 'pending', '{}', '2026-11-18 14:13:15.221507+00'),
	('01a1ef01-315f-73b2-9a3f-e5994bac8296', '5fd1298c-1246-4d9b-b435-6eec51c7fc73', 2, 'processing', 'pending', 'extracting', '{"attempt": 1, "fetch_ms": 12, "redirects": 0, "http_status": 200}', '2026-11-18 14:13:15.229652+00'),
	('01a1ef01-3160-7091-a536-2345c5ce01a4', '5fd1298c-1246-4d9b-b435-6eec51c7fc73', 3, 'processing', 'extracting', 'ready_for_reading', '{"via": "http", "extract_ms": 5}', '2026-11-18 14:13:15.229652+00'),
	('01a1ef01-316f-718e-ad90-a1d6cdc72934', '3015501c-ed4f-4442-b125-16be2d8bc3b3', 1, 'processing', NULL, 'pending', '{}', '2026-11-18 14:13:15.245821+00'),
	('01a1ef01-3179-7430-9324-a1877ed66632', '3015501c-ed4f-4442-b125-16be2d8bc3b3', 2, 'processing', 'pending', 'extracting', '{"attempt": 1, "fetch_ms": 12, "redirects": 0, "http_status": 200}', '2026-11-18 14:13:15.254159+00'),
	('01a1ef01-317a-734a-9193-674cff41101d', '3015501c-ed4f-4442-b125-16be2d8bc3b3', 3, 'processing', 'extracting', 'ready_for_reading', '{"via": "http", "extract_ms": 5}', '2026-11-18 14:13:15.254159+00'),
	('01a1ef01-31a2-72e6-b908-164203bf583b', '1be9fbd5-95de-4b14-90b8-8d08bda59d35', 1, 'processing', NULL, 'pending', '{}', '2026-11-18 14:13:15.265291+00'),
	('01a1ef01-31b5-77ea-b575-5ec3120fd174', '1be9fbd5-95de-4b14-90b8-8d08bda59d35', 2, 'processing', 'pending', 'extracting', '{"attempt": 1, "fetch_ms": 12, "redirects": 0, "http_status": 200}', '2026-11-18 14:13:15.315654+00'),
	('01a1ef01-31b6-71c5-8441-692e88b6b786', '1be9fbd5-95de-4b14-90b8-8d08bda59d35', 3, 'processing', 'extracting', 'ready_for_reading', '{"via": "http", "extract_ms": 5}', '2026-11-18 14:13:15.315654+00'),
	('01a1ef01-31c1-736e-ace4-f53604953738', '455e67bc-38a0-42ab-ba15-bb3b1849d9fa', 1, 'processing', NULL, 'pending', '{}', '2026-11-18 14:13:15.32776+00'),
	('01a1ef01-31c9-7478-b60a-8b0211728acd', '455e67bc-38a0-42ab-ba15-bb3b1849d9fa', 2, 'processing', 'pending', 'extracting', '{"attempt": 1, "fetch_ms": 12, "redirects": 0, "http_status": 200}', '2026-11-18 14:13:15.335406+00'),
	('01a1ef01-31ca-71ee-90cd-c747e43a28af', '455e67bc-38a0-42ab-ba15-bb3b1849d9fa', 3, 'processing', 'extracting', 'ready_for_reading', '{"via": "http", "extract_ms": 5}', '2026-11-18 14:13:15.335406+00'),
	('01a1ef01-31d0-7593-ab2a-2787c54cce32', 'c34e2458-7d13-46f7-842f-97d1ff93c902', 1, 'processing', NULL, 'pending', '{}', '2026-11-18 14:13:15.342773+00'),
	('01a1ef01-31d7-74a6-93de-dc3dd36d406c', 'c34e2458-7d13-46f7-842f-97d1ff93c902', 2, 'processing', 'pending', 'extracting', '{"attempt": 1, "fetch_ms": 12, "redirects": 0, "http_status": 200}', '2026-11-18 14:13:15.34957+00'),
	('01a1ef01-31d8-7762-a905-4fcc0342cf87', 'c34e2458-7d13-46f7-842f-97d1ff93c902', 3, 'processing', 'extracting', 'ready_for_reading', '{"via": "http", "extract_ms": 5}', '2026-11-18 14:13:15.34957+00'),
	('01a1ef01-31dd-774f-84ac-45aef49fcde0', '10ae1889-8b77-4204-894f-90d4263e529d', 1, 'processing', NULL, 'pending', '{}', '2026-11-18 14:13:15.356114+00'),
	('01a1ef01-31e6-7004-b8b0-e7d9f47b20b2', '10ae1889-8b77-4204-894f-90d4263e529d', 2, 'processing', 'pending', 'extracting', '{"attempt": 1, "fetch_ms": 12, "redirects": 0, "http_status": 200}', '2026-11-18 14:13:15.364384+00'),
	('01a1ef01-31e7-71f5-9c0b-07df2ae366d1', '10ae1889-8b77-4204-894f-90d4263e529d', 3, 'processing', 'extracting', 'ready_for_reading', '{"via": "http", "extract_ms": 5}', '2026-11-18 14:13:15.364384+00'),
	('01a1ef01-3211-7239-bcbb-7b9f6453aa3c', '86ed5d81-77a5-44b2-b6d6-9e5c7dee2abf', 1, 'processing', NULL, 'pending', '{}', '2026-11-18 14:13:15.407361+00'),
	('01a1ef01-3220-72de-bd93-123379c20787', '86ed5d81-77a5-44b2-b6d6-9e5c7dee2abf', 2, 'processing', 'pending', 'extracting', '{"attempt": 1, "fetch_ms": 12, "redirects": 0, "http_status": 200}', '2026-11-18 14:13:15.420451+00'),
	('01a1ef01-3221-7325-9a77-0b7c39809584', '86ed5d81-77a5-44b2-b6d6-9e5c7dee2abf', 3, 'processing', 'extracting', 'ready_for_reading', '{"via": "http", "extract_ms": 5}', '2026-11-18 14:13:15.420451+00'),
	('01a1ef01-3230-7166-a82d-3d22c537d71b', '3b666385-50e3-46b2-bbf6-d3e7bb6324da', 1, 'processing', NULL, 'pending', '{}', '2026-11-18 14:13:15.432017+00'),
	('01a1ef01-323c-753e-8ca1-033a2c27db6f', '3b666385-50e3-46b2-bbf6-d3e7bb6324da', 2, 'processing', 'pending', 'extracting', '{"attempt": 1, "fetch_ms": 12, "redirects": 0, "http_status": 200}', '2026-11-18 14:13:15.449658+00'),
	('01a1ef01-323d-71a8-9cdf-74e87e8cf9fc', '3b666385-50e3-46b2-bbf6-d3e7bb6324da', 3, 'processing', 'extracting', 'ready_for_reading', '{"via": "http", "extract_ms": 5}', '2026-11-18 14:13:15.449658+00'),
	('01a1ef01-349c-773b-a003-32ebdff0ac40', '5bbf1f25-8e49-40af-8409-e61db1601711', 1, 'processing', NULL, 'pending', '{}', '2026-11-18 14:13:16.052582+00');


--
-- Data for Name: undo_batches; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.undo_batches VALUES
	('01a1ef01-31f6-7164-9dca-25d8404c56da', '01a1ef01-2fd9-71b3-95f0-0ef231d47f92', '[{"item": "01a1ef01-31c2-708b-b4e6-43f185840c66", "library": null, "reading": {"read_at": null, "is_archived": false, "is_favourite": false}, "add_tags": [], "remove_tags": ["done"]}]', '2026-11-18 14:13:15.369367+00');


--
-- Data for Name: url_aliases; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.url_aliases VALUES
	('javascript:alert(1)', '45dffe09-9cec-4cae-ae5e-a3217b174b61'),
	('https://example.org/failed', '60d20fa4-8738-43d7-b852-70e59e835c10'),
	('https://example.org/blocked', '8c68ca4a-5e25-4e4c-97b6-14a396517eca'),
	('https://example.org/card', 'f77b2bd3-6bd7-4b13-9a4d-4daf8e20065d'),
	('https://example.org/extracting', '3c7cdeb1-99ae-4e7f-97d0-c0da48ad86af'),
	('https://example.org/pending', 'bec6515d-3d8d-448a-9ced-cac55b3a989a'),
	('https://example.org/pending-too', '61dd227d-13c2-4b16-b5ce-7f804ed3e5bb'),
	('https://example.org/harbour', '7e6f4399-ea32-488a-8114-e598e965a6dd'),
	('https://example.org/pilots', '5fd1298c-1246-4d9b-b435-6eec51c7fc73'),
	('https://example.org/members', '3015501c-ed4f-4442-b125-16be2d8bc3b3'),
	('https://example.org/pilots?from=feed', '5fd1298c-1246-4d9b-b435-6eec51c7fc73'),
	('https://example.org/read', '455e67bc-38a0-42ab-ba15-bb3b1849d9fa'),
	('https://example.org/begun', 'c34e2458-7d13-46f7-842f-97d1ff93c902'),
	('https://example.org/gone', '10ae1889-8b77-4204-894f-90d4263e529d'),
	('https://example.org/paper.pdf', '86ed5d81-77a5-44b2-b6d6-9e5c7dee2abf'),
	('https://example.org/lost', '3b666385-50e3-46b2-bbf6-d3e7bb6324da'),
	('https://example.org/imported', '5bbf1f25-8e49-40af-8409-e61db1601711');


--
-- Data for Name: url_hashes; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.url_hashes VALUES
	('01a1ef01-306f-73ed-8e46-2bacde8ca33f', '152c2448dabf5d6f77095aa4ac17eac0f26d6c54', '01a1ef01-2fde-727e-bda7-1187cad8e298'),
	('01a1ef01-307c-76ca-9f13-622bff1616bc', 'd77ee12c687a75338605e5f0476b5becc4d594c0', '01a1ef01-2fde-727e-bda7-1187cad8e298'),
	('01a1ef01-3088-7754-9edf-7ebda8246e34', '5bf4b829a19aca5922183d5ff6978cb7d2d6d1a3', '01a1ef01-2fde-727e-bda7-1187cad8e298'),
	('01a1ef01-30cf-7630-a495-89e59dc7db05', 'f56979c8eacdd2a5894783ad5142b11a21936ad2', '01a1ef01-2fde-727e-bda7-1187cad8e298'),
	('01a1ef01-30dd-71a3-969a-aa2e3d3c8997', 'f8e04e375b13c3c217e3ba4447e79a232f075eb9', '01a1ef01-2fde-727e-bda7-1187cad8e298'),
	('01a1ef01-30aa-72ab-a93b-c6ccd8a8dd6f', 'a8b85be82391b61c09b10c7c06d9423c1fea8081', '01a1ef01-2fde-727e-bda7-1187cad8e298'),
	('01a1ef01-30bb-75c2-82a0-c0e21f8874a9', '622bbab83000504c9f336555f130d15fbda06ffc', '01a1ef01-2fde-727e-bda7-1187cad8e298'),
	('01a1ef01-313a-72ac-b4cb-20b36d8d076a', 'be4c53f66a1259ac56789435a6d9cc61c062a294', '01a1ef01-2fde-727e-bda7-1187cad8e298'),
	('01a1ef01-3026-72b4-9b7b-9b7700afac76', 'be4c53f66a1259ac56789435a6d9cc61c062a294', '01a1ef01-2fde-727e-bda7-1187cad8e298'),
	('01a1ef01-3158-714d-a34c-920f5b0d4ac5', '8bfa53ac405ee1ba4076599cb649f6b78d45132f', '01a1ef01-2fde-727e-bda7-1187cad8e298'),
	('01a1ef01-31a5-7748-b599-0e28deb13ae2', '101516d0d24b88329414676256d04b53dc00db86', '01a1ef01-2fde-727e-bda7-1187cad8e298'),
	('01a1ef01-3171-77cf-857d-b8ac659ee5c2', '101516d0d24b88329414676256d04b53dc00db86', '01a1ef01-2fde-727e-bda7-1187cad8e298'),
	('01a1ef01-31c2-708b-b4e6-43f185840c66', '65292baa966886e7750581b6a20987d24b35d158', '01a1ef01-2fde-727e-bda7-1187cad8e298'),
	('01a1ef01-31d1-7379-8d66-239ea24c78b0', 'aa2949c757acc5de6e43d71ee99e6e40294c068e', '01a1ef01-2fde-727e-bda7-1187cad8e298'),
	('01a1ef01-3215-7050-864e-2f98a8f09312', '1d727069eefc78a6510517ff4b18c7b295fdc0e1', '01a1ef01-2fde-727e-bda7-1187cad8e298'),
	('01a1ef01-3232-71a8-a7a7-a9ec7ae9872a', '5ba220a882463affc9cc360b9616af46ba99193f', '01a1ef01-2fde-727e-bda7-1187cad8e298'),
	('01a1ef01-349a-70c7-994d-98cf9bf2a6dd', '6d8598d9f5ec46739a0d2401b7725bd0dc7a074a', '01a1ef01-2fde-727e-bda7-1187cad8e298');


--
-- Data for Name: users; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.users VALUES
	('01a1ef01-2fd9-71b3-95f0-0ef231d47f92', 'ann', '$argon2id$v=19$m=8,t=1,p=1$5RNjhr5tJQl2n90fNloK3A$rzMjSYYT5N1kmJpFZemXLRLjNGfQHxYx5aWENZpllGY', false, '2026-11-18 14:13:14.84021+00'),
	('01a1ef01-300c-748c-b1f3-f18a1f994516', 'ben', '$argon2id$v=19$m=8,t=1,p=1$5RNjhr5tJQl2n90fNloK3A$rzMjSYYT5N1kmJpFZemXLRLjNGfQHxYx5aWENZpllGY', false, '2026-11-18 14:13:14.892527+00');


--
-- Name: events_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.events_id_seq', 33, true);


--
-- Name: numbers_no_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.numbers_no_seq', 28, true);


--
-- Name: search_highlights_no_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.search_highlights_no_seq', 3, true);


--
-- Name: search_items_no_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.search_items_no_seq', 44, true);


--
-- Name: search_media_no_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.search_media_no_seq', 38, true);


--
-- Name: alembic_version alembic_version_pkc; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.alembic_version
    ADD CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num);


--
-- Name: api_tokens pk_api_tokens; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.api_tokens
    ADD CONSTRAINT pk_api_tokens PRIMARY KEY (id);


--
-- Name: app_tokens pk_app_tokens; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.app_tokens
    ADD CONSTRAINT pk_app_tokens PRIMARY KEY (token_hash);


--
-- Name: capture_failures pk_capture_failures; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.capture_failures
    ADD CONSTRAINT pk_capture_failures PRIMARY KEY (media_id);


--
-- Name: card_words pk_card_words; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.card_words
    ADD CONSTRAINT pk_card_words PRIMARY KEY (no);


--
-- Name: connect_codes pk_connect_codes; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.connect_codes
    ADD CONSTRAINT pk_connect_codes PRIMARY KEY (code_hash);


--
-- Name: documents pk_documents; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.documents
    ADD CONSTRAINT pk_documents PRIMARY KEY (media_id);


--
-- Name: earlier_copies pk_earlier_copies; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.earlier_copies
    ADD CONSTRAINT pk_earlier_copies PRIMARY KEY (item_id);


--
-- Name: events pk_events; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.events
    ADD CONSTRAINT pk_events PRIMARY KEY (id);


--
-- Name: former_texts pk_former_texts; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.former_texts
    ADD CONSTRAINT pk_former_texts PRIMARY KEY (id);


--
-- Name: fragments pk_fragments; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.fragments
    ADD CONSTRAINT pk_fragments PRIMARY KEY (id);


--
-- Name: highlight_words pk_highlight_words; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.highlight_words
    ADD CONSTRAINT pk_highlight_words PRIMARY KEY (no);


--
-- Name: highlights pk_highlights; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.highlights
    ADD CONSTRAINT pk_highlights PRIMARY KEY (id);


--
-- Name: hosts pk_hosts; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.hosts
    ADD CONSTRAINT pk_hosts PRIMARY KEY (name);


--
-- Name: idempotency_keys pk_idempotency_keys; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.idempotency_keys
    ADD CONSTRAINT pk_idempotency_keys PRIMARY KEY (user_id, key);


--
-- Name: image_assets pk_image_assets; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.image_assets
    ADD CONSTRAINT pk_image_assets PRIMARY KEY (id);


--
-- Name: image_link_keys pk_image_link_keys; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.image_link_keys
    ADD CONSTRAINT pk_image_link_keys PRIMARY KEY (user_id);


--
-- Name: import_rows pk_import_rows; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.import_rows
    ADD CONSTRAINT pk_import_rows PRIMARY KEY (import_id, ordinal);


--
-- Name: imports pk_imports; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.imports
    ADD CONSTRAINT pk_imports PRIMARY KEY (id);


--
-- Name: item_tags pk_item_tags; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.item_tags
    ADD CONSTRAINT pk_item_tags PRIMARY KEY (item_id, tag_id);


--
-- Name: item_tombstones pk_item_tombstones; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.item_tombstones
    ADD CONSTRAINT pk_item_tombstones PRIMARY KEY (item_id, library_id);


--
-- Name: item_words pk_item_words; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.item_words
    ADD CONSTRAINT pk_item_words PRIMARY KEY (no);


--
-- Name: items pk_items; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.items
    ADD CONSTRAINT pk_items PRIMARY KEY (id);


--
-- Name: jobs pk_jobs; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.jobs
    ADD CONSTRAINT pk_jobs PRIMARY KEY (id);


--
-- Name: libraries pk_libraries; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.libraries
    ADD CONSTRAINT pk_libraries PRIMARY KEY (id);


--
-- Name: library_members pk_library_members; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.library_members
    ADD CONSTRAINT pk_library_members PRIMARY KEY (library_id, user_id);


--
-- Name: library_numbers pk_library_numbers; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.library_numbers
    ADD CONSTRAINT pk_library_numbers PRIMARY KEY (item_no);


--
-- Name: media pk_media; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.media
    ADD CONSTRAINT pk_media PRIMARY KEY (id);


--
-- Name: merged_ids pk_merged_ids; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.merged_ids
    ADD CONSTRAINT pk_merged_ids PRIMARY KEY (old_id);


--
-- Name: merged_items pk_merged_items; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.merged_items
    ADD CONSTRAINT pk_merged_items PRIMARY KEY (old_id);


--
-- Name: numbers pk_numbers; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.numbers
    ADD CONSTRAINT pk_numbers PRIMARY KEY (no);


--
-- Name: oauth_clients pk_oauth_clients; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.oauth_clients
    ADD CONSTRAINT pk_oauth_clients PRIMARY KEY (id);


--
-- Name: oauth_grants pk_oauth_grants; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.oauth_grants
    ADD CONSTRAINT pk_oauth_grants PRIMARY KEY (id);


--
-- Name: page_captures pk_page_captures; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.page_captures
    ADD CONSTRAINT pk_page_captures PRIMARY KEY (media_id, format);


--
-- Name: page_snapshots pk_page_snapshots; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.page_snapshots
    ADD CONSTRAINT pk_page_snapshots PRIMARY KEY (media_id);


--
-- Name: page_words pk_page_words; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.page_words
    ADD CONSTRAINT pk_page_words PRIMARY KEY (no);


--
-- Name: preferences pk_preferences; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.preferences
    ADD CONSTRAINT pk_preferences PRIMARY KEY (user_id);


--
-- Name: private_pages pk_private_pages; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.private_pages
    ADD CONSTRAINT pk_private_pages PRIMARY KEY (library_id, url);


--
-- Name: reading_states pk_reading_states; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.reading_states
    ADD CONSTRAINT pk_reading_states PRIMARY KEY (user_id, media_id);


--
-- Name: removed_items pk_removed_items; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.removed_items
    ADD CONSTRAINT pk_removed_items PRIMARY KEY (item_id);


--
-- Name: search_highlights pk_search_highlights; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.search_highlights
    ADD CONSTRAINT pk_search_highlights PRIMARY KEY (no);


--
-- Name: search_items pk_search_items; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.search_items
    ADD CONSTRAINT pk_search_items PRIMARY KEY (no);


--
-- Name: search_media pk_search_media; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.search_media
    ADD CONSTRAINT pk_search_media PRIMARY KEY (no);


--
-- Name: sessions pk_sessions; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT pk_sessions PRIMARY KEY (id);


--
-- Name: setup_links pk_setup_links; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.setup_links
    ADD CONSTRAINT pk_setup_links PRIMARY KEY (token_hash);


--
-- Name: synced_items pk_synced_items; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.synced_items
    ADD CONSTRAINT pk_synced_items PRIMARY KEY (item_id);


--
-- Name: tags pk_tags; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.tags
    ADD CONSTRAINT pk_tags PRIMARY KEY (id);


--
-- Name: transitions pk_transitions; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.transitions
    ADD CONSTRAINT pk_transitions PRIMARY KEY (id);


--
-- Name: undo_batches pk_undo_batches; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.undo_batches
    ADD CONSTRAINT pk_undo_batches PRIMARY KEY (id);


--
-- Name: url_aliases pk_url_aliases; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.url_aliases
    ADD CONSTRAINT pk_url_aliases PRIMARY KEY (url);


--
-- Name: url_hashes pk_url_hashes; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.url_hashes
    ADD CONSTRAINT pk_url_hashes PRIMARY KEY (item_id, hash);


--
-- Name: users pk_users; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.users
    ADD CONSTRAINT pk_users PRIMARY KEY (id);


--
-- Name: api_tokens uq_api_tokens_token_hash; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.api_tokens
    ADD CONSTRAINT uq_api_tokens_token_hash UNIQUE (token_hash);


--
-- Name: fragments uq_fragments_media_id_ordinal; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.fragments
    ADD CONSTRAINT uq_fragments_media_id_ordinal UNIQUE (media_id, ordinal);


--
-- Name: items uq_items_library_id_media_id; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.items
    ADD CONSTRAINT uq_items_library_id_media_id UNIQUE (library_id, media_id);


--
-- Name: jobs uq_jobs_kind_subject_id; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.jobs
    ADD CONSTRAINT uq_jobs_kind_subject_id UNIQUE (kind, subject_id);


--
-- Name: media uq_media_kind_canonical_url; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.media
    ADD CONSTRAINT uq_media_kind_canonical_url UNIQUE (kind, canonical_url);


--
-- Name: numbers uq_numbers_kind_subject_id; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.numbers
    ADD CONSTRAINT uq_numbers_kind_subject_id UNIQUE (kind, subject_id);


--
-- Name: oauth_grants uq_oauth_grants_code_hash; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.oauth_grants
    ADD CONSTRAINT uq_oauth_grants_code_hash UNIQUE (code_hash);


--
-- Name: oauth_grants uq_oauth_grants_user_code; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.oauth_grants
    ADD CONSTRAINT uq_oauth_grants_user_code UNIQUE (user_code);


--
-- Name: search_highlights uq_search_highlights_highlight_id; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.search_highlights
    ADD CONSTRAINT uq_search_highlights_highlight_id UNIQUE (highlight_id);


--
-- Name: search_items uq_search_items_item_id; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.search_items
    ADD CONSTRAINT uq_search_items_item_id UNIQUE (item_id);


--
-- Name: search_media uq_search_media_media_id; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.search_media
    ADD CONSTRAINT uq_search_media_media_id UNIQUE (media_id);


--
-- Name: sessions uq_sessions_token_hash; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT uq_sessions_token_hash UNIQUE (token_hash);


--
-- Name: tags uq_tags_library_id_name; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.tags
    ADD CONSTRAINT uq_tags_library_id_name UNIQUE (library_id, name);


--
-- Name: transitions uq_transitions_media_id_sort_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.transitions
    ADD CONSTRAINT uq_transitions_media_id_sort_key UNIQUE (media_id, sort_key);


--
-- Name: users uq_users_name; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.users
    ADD CONSTRAINT uq_users_name UNIQUE (name);


--
-- Name: ix_api_tokens_user_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX ix_api_tokens_user_id ON public.api_tokens USING btree (user_id);


--
-- Name: ix_app_tokens_api_token_id_kind_created_at; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX ix_app_tokens_api_token_id_kind_created_at ON public.app_tokens USING btree (api_token_id, kind, created_at);


--
-- Name: ix_app_tokens_expires_at; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX ix_app_tokens_expires_at ON public.app_tokens USING btree (expires_at);


--
-- Name: ix_card_words_words; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX ix_card_words_words ON public.card_words USING gin (words) WITH (fastupdate=off);


--
-- Name: ix_connect_codes_expires_at; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX ix_connect_codes_expires_at ON public.connect_codes USING btree (expires_at);


--
-- Name: ix_connect_codes_user_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX ix_connect_codes_user_id ON public.connect_codes USING btree (user_id);


--
-- Name: ix_earlier_copies_shown_item_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX ix_earlier_copies_shown_item_id ON public.earlier_copies USING btree (shown_item_id);


--
-- Name: ix_events_created_at; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX ix_events_created_at ON public.events USING btree (created_at);


--
-- Name: ix_highlight_words_words; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX ix_highlight_words_words ON public.highlight_words USING gin (words) WITH (fastupdate=off);


--
-- Name: ix_highlights_former_text_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX ix_highlights_former_text_id ON public.highlights USING btree (former_text_id) WHERE (former_text_id IS NOT NULL);


--
-- Name: ix_highlights_list; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX ix_highlights_list ON public.highlights USING btree (user_id, created_at, id, media_id, colour, removed_at);


--
-- Name: ix_highlights_media_id_user_id_start_offset; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX ix_highlights_media_id_user_id_start_offset ON public.highlights USING btree (media_id, user_id, start_offset);


--
-- Name: ix_highlights_removed_at; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX ix_highlights_removed_at ON public.highlights USING btree (removed_at) WHERE (removed_at IS NOT NULL);


--
-- Name: ix_idempotency_keys_created_at; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX ix_idempotency_keys_created_at ON public.idempotency_keys USING btree (created_at);


--
-- Name: ix_image_assets_media_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX ix_image_assets_media_id ON public.image_assets USING btree (media_id);


--
-- Name: ix_import_rows_item_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX ix_import_rows_item_id ON public.import_rows USING btree (item_id);


--
-- Name: ix_imports_user_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX ix_imports_user_id ON public.imports USING btree (user_id);


--
-- Name: ix_item_tags_tag_id_item_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX ix_item_tags_tag_id_item_id ON public.item_tags USING btree (tag_id, item_id);


--
-- Name: ix_item_tombstones_library_id_removed_at; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX ix_item_tombstones_library_id_removed_at ON public.item_tombstones USING btree (library_id, removed_at);


--
-- Name: ix_item_tombstones_removed_at; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX ix_item_tombstones_removed_at ON public.item_tombstones USING btree (removed_at);


--
-- Name: ix_item_words_words; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX ix_item_words_words ON public.item_words USING gin (words) WITH (fastupdate=off);


--
-- Name: ix_items_added_by; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX ix_items_added_by ON public.items USING btree (added_by);


--
-- Name: ix_items_library_id_created_at_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX ix_items_library_id_created_at_id ON public.items USING btree (library_id, created_at, id);


--
-- Name: ix_items_media_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX ix_items_media_id ON public.items USING btree (media_id);


--
-- Name: ix_jobs_claim; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX ix_jobs_claim ON public.jobs USING btree (queue, priority, run_at) WHERE (NOT is_queued_behind);


--
-- Name: ix_jobs_first; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX ix_jobs_first ON public.jobs USING btree (host, kind) WHERE (NOT is_queued_behind);


--
-- Name: ix_jobs_leased; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX ix_jobs_leased ON public.jobs USING btree (host, lease_until) WHERE (lease_until IS NOT NULL);


--
-- Name: ix_jobs_queued_behind; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX ix_jobs_queued_behind ON public.jobs USING btree (host, kind, priority, run_at) WHERE is_queued_behind;


--
-- Name: ix_libraries_owner_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX ix_libraries_owner_id ON public.libraries USING btree (owner_id);


--
-- Name: ix_library_members_user_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX ix_library_members_user_id ON public.library_members USING btree (user_id);


--
-- Name: ix_library_numbers_library_id_media_no_item_no; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX ix_library_numbers_library_id_media_no_item_no ON public.library_numbers USING btree (library_id, media_no, item_no);


--
-- Name: ix_media_processing_status; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX ix_media_processing_status ON public.media USING btree (processing_status);


--
-- Name: ix_media_superseded_by; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX ix_media_superseded_by ON public.media USING btree (superseded_by);


--
-- Name: ix_merged_ids_new_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX ix_merged_ids_new_id ON public.merged_ids USING btree (new_id);


--
-- Name: ix_merged_items_new_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX ix_merged_items_new_id ON public.merged_items USING btree (new_id);


--
-- Name: ix_oauth_clients_created_at; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX ix_oauth_clients_created_at ON public.oauth_clients USING btree (created_at);


--
-- Name: ix_oauth_grants_client_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX ix_oauth_grants_client_id ON public.oauth_grants USING btree (client_id);


--
-- Name: ix_oauth_grants_expires_at; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX ix_oauth_grants_expires_at ON public.oauth_grants USING btree (expires_at);


--
-- Name: ix_oauth_grants_user_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX ix_oauth_grants_user_id ON public.oauth_grants USING btree (user_id);


--
-- Name: ix_page_captures_digest; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX ix_page_captures_digest ON public.page_captures USING btree (digest);


--
-- Name: ix_page_captures_user_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX ix_page_captures_user_id ON public.page_captures USING btree (user_id);


--
-- Name: ix_page_snapshots_fetched_at; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX ix_page_snapshots_fetched_at ON public.page_snapshots USING btree (fetched_at);


--
-- Name: ix_page_words_words; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX ix_page_words_words ON public.page_words USING gin (words) WITH (fastupdate=off);


--
-- Name: ix_private_pages_media_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX ix_private_pages_media_id ON public.private_pages USING btree (media_id);


--
-- Name: ix_reading_states_media_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX ix_reading_states_media_id ON public.reading_states USING btree (media_id);


--
-- Name: ix_reading_states_started; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX ix_reading_states_started ON public.reading_states USING btree (user_id, media_id) WHERE ((progress > (0)::double precision) AND (read_at IS NULL));


--
-- Name: ix_removed_items_batch_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX ix_removed_items_batch_id ON public.removed_items USING btree (batch_id);


--
-- Name: ix_removed_items_library_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX ix_removed_items_library_id ON public.removed_items USING btree (library_id);


--
-- Name: ix_removed_items_media_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX ix_removed_items_media_id ON public.removed_items USING btree (media_id);


--
-- Name: ix_removed_items_removed_at; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX ix_removed_items_removed_at ON public.removed_items USING btree (removed_at);


--
-- Name: ix_removed_items_user_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX ix_removed_items_user_id ON public.removed_items USING btree (user_id);


--
-- Name: ix_search_highlights_version; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX ix_search_highlights_version ON public.search_highlights USING btree (version);


--
-- Name: ix_search_items_version; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX ix_search_items_version ON public.search_items USING btree (version);


--
-- Name: ix_search_media_version; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX ix_search_media_version ON public.search_media USING btree (version);


--
-- Name: ix_sessions_user_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX ix_sessions_user_id ON public.sessions USING btree (user_id);


--
-- Name: ix_synced_items_archived_unread; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX ix_synced_items_archived_unread ON public.synced_items USING btree (library_id, is_listed, is_archived, created_at, item_id, is_unread);


--
-- Name: ix_synced_items_changed; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX ix_synced_items_changed ON public.synced_items USING btree (library_id, is_listed, changed_at, item_id);


--
-- Name: ix_synced_items_created; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX ix_synced_items_created ON public.synced_items USING btree (library_id, is_listed, created_at, item_id);


--
-- Name: ix_synced_items_favourite; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX ix_synced_items_favourite ON public.synced_items USING btree (library_id, is_listed, is_favourite, created_at, item_id);


--
-- Name: ix_synced_items_unhashed; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX ix_synced_items_unhashed ON public.synced_items USING btree (library_id) WHERE (NOT is_hashed);


--
-- Name: ix_transitions_to_state; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX ix_transitions_to_state ON public.transitions USING btree (to_state);


--
-- Name: ix_undo_batches_created_at; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX ix_undo_batches_created_at ON public.undo_batches USING btree (created_at);


--
-- Name: ix_undo_batches_user_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX ix_undo_batches_user_id ON public.undo_batches USING btree (user_id);


--
-- Name: ix_url_aliases_media_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX ix_url_aliases_media_id ON public.url_aliases USING btree (media_id);


--
-- Name: ix_url_hashes_hash_library_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX ix_url_hashes_hash_library_id ON public.url_hashes USING btree (hash, library_id);


--
-- Name: uq_libraries_default_owner_id; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX uq_libraries_default_owner_id ON public.libraries USING btree (owner_id) WHERE is_default;


--
-- Name: earlier_copies earlier_copies_sync_delete; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER earlier_copies_sync_delete AFTER DELETE ON public.earlier_copies FOR EACH ROW EXECUTE FUNCTION public.earlier_copies_sync_delete();


--
-- Name: earlier_copies earlier_copies_sync_insert; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER earlier_copies_sync_insert AFTER INSERT ON public.earlier_copies FOR EACH ROW EXECUTE FUNCTION public.earlier_copies_sync_insert();


--
-- Name: fragments fragments_mark_insert; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER fragments_mark_insert AFTER INSERT ON public.fragments FOR EACH ROW EXECUTE FUNCTION public.fragments_mark_insert();


--
-- Name: fragments fragments_refuse_change; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER fragments_refuse_change BEFORE DELETE OR UPDATE ON public.fragments FOR EACH ROW EXECUTE FUNCTION public.fragments_refuse_change();


--
-- Name: highlights highlights_sync_insert; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER highlights_sync_insert AFTER INSERT ON public.highlights FOR EACH ROW EXECUTE FUNCTION public.highlights_sync_insert();


--
-- Name: highlights highlights_sync_update; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER highlights_sync_update AFTER UPDATE OF media_id, start_offset, end_offset, colour, note, removed_at ON public.highlights FOR EACH ROW WHEN (((old.media_id IS DISTINCT FROM new.media_id) OR (old.start_offset IS DISTINCT FROM new.start_offset) OR (old.end_offset IS DISTINCT FROM new.end_offset) OR (old.colour IS DISTINCT FROM new.colour) OR (old.note IS DISTINCT FROM new.note) OR (old.removed_at IS DISTINCT FROM new.removed_at))) EXECUTE FUNCTION public.highlights_sync_update();


--
-- Name: item_tags item_tags_mark_delete; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER item_tags_mark_delete AFTER DELETE ON public.item_tags FOR EACH ROW EXECUTE FUNCTION public.item_tags_mark_delete();


--
-- Name: item_tags item_tags_mark_insert; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER item_tags_mark_insert AFTER INSERT ON public.item_tags FOR EACH ROW EXECUTE FUNCTION public.item_tags_mark_insert();


--
-- Name: item_tags item_tags_sync_delete; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER item_tags_sync_delete AFTER DELETE ON public.item_tags FOR EACH ROW EXECUTE FUNCTION public.item_tags_sync_delete();


--
-- Name: item_tags item_tags_sync_insert; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER item_tags_sync_insert AFTER INSERT ON public.item_tags FOR EACH ROW EXECUTE FUNCTION public.item_tags_sync_insert();


--
-- Name: items items_follow_update; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER items_follow_update AFTER UPDATE OF library_id, media_id ON public.items FOR EACH ROW WHEN (((old.library_id IS DISTINCT FROM new.library_id) OR (old.media_id IS DISTINCT FROM new.media_id))) EXECUTE FUNCTION public.items_follow_update();


--
-- Name: items items_mark_insert; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER items_mark_insert AFTER INSERT ON public.items FOR EACH ROW EXECUTE FUNCTION public.items_mark_insert();


--
-- Name: items items_mark_update; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER items_mark_update AFTER UPDATE OF url, title, excerpt, note ON public.items FOR EACH ROW WHEN (((old.url IS DISTINCT FROM new.url) OR (old.title IS DISTINCT FROM new.title) OR (old.excerpt IS DISTINCT FROM new.excerpt) OR (old.note IS DISTINCT FROM new.note))) EXECUTE FUNCTION public.items_mark_update();


--
-- Name: items items_sync_delete; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER items_sync_delete AFTER DELETE ON public.items FOR EACH ROW EXECUTE FUNCTION public.items_sync_delete();


--
-- Name: items items_sync_insert; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER items_sync_insert AFTER INSERT ON public.items FOR EACH ROW EXECUTE FUNCTION public.items_sync_insert();


--
-- Name: items items_sync_update; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER items_sync_update AFTER UPDATE OF library_id, media_id, url, title, excerpt, note, created_at, updated_at ON public.items FOR EACH ROW WHEN (((old.library_id IS DISTINCT FROM new.library_id) OR (old.media_id IS DISTINCT FROM new.media_id) OR (old.url IS DISTINCT FROM new.url) OR (old.title IS DISTINCT FROM new.title) OR (old.excerpt IS DISTINCT FROM new.excerpt) OR (old.note IS DISTINCT FROM new.note) OR (old.created_at IS DISTINCT FROM new.created_at) OR (old.updated_at IS DISTINCT FROM new.updated_at))) EXECUTE FUNCTION public.items_sync_update();


--
-- Name: media media_mark_insert; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER media_mark_insert AFTER INSERT ON public.media FOR EACH ROW EXECUTE FUNCTION public.media_mark_insert();


--
-- Name: media media_mark_update; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER media_mark_update AFTER UPDATE OF title, excerpt, byline, site_name, canonical_url ON public.media FOR EACH ROW WHEN (((old.title IS DISTINCT FROM new.title) OR (old.excerpt IS DISTINCT FROM new.excerpt) OR (old.byline IS DISTINCT FROM new.byline) OR (old.site_name IS DISTINCT FROM new.site_name) OR (old.canonical_url IS DISTINCT FROM new.canonical_url))) EXECUTE FUNCTION public.media_mark_update();


--
-- Name: media media_sync_card_update; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER media_sync_card_update AFTER UPDATE OF title, excerpt, byline, lang, published_at, preview_image_url, word_count ON public.media FOR EACH ROW WHEN (((old.title IS DISTINCT FROM new.title) OR (old.excerpt IS DISTINCT FROM new.excerpt) OR (old.byline IS DISTINCT FROM new.byline) OR (old.lang IS DISTINCT FROM new.lang) OR (old.published_at IS DISTINCT FROM new.published_at) OR (old.preview_image_url IS DISTINCT FROM new.preview_image_url) OR (old.word_count IS DISTINCT FROM new.word_count))) EXECUTE FUNCTION public.media_sync_card_update();


--
-- Name: media media_sync_update; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER media_sync_update AFTER UPDATE OF canonical_url, processing_status, superseded_by ON public.media FOR EACH ROW WHEN (((old.canonical_url IS DISTINCT FROM new.canonical_url) OR (old.processing_status IS DISTINCT FROM new.processing_status) OR (old.superseded_by IS DISTINCT FROM new.superseded_by))) EXECUTE FUNCTION public.media_sync_update();


--
-- Name: reading_states reading_states_sync_insert; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER reading_states_sync_insert AFTER INSERT ON public.reading_states FOR EACH ROW EXECUTE FUNCTION public.reading_states_sync_insert();


--
-- Name: reading_states reading_states_sync_update; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER reading_states_sync_update AFTER UPDATE OF is_favourite, is_archived, read_at, progress ON public.reading_states FOR EACH ROW WHEN (((old.is_favourite IS DISTINCT FROM new.is_favourite) OR (old.is_archived IS DISTINCT FROM new.is_archived) OR (old.read_at IS DISTINCT FROM new.read_at) OR (old.progress IS DISTINCT FROM new.progress))) EXECUTE FUNCTION public.reading_states_sync_update();


--
-- Name: search_items search_items_follow_insert; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER search_items_follow_insert AFTER INSERT ON public.search_items FOR EACH ROW EXECUTE FUNCTION public.search_items_follow_insert();


--
-- Name: search_media search_media_follow_insert; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER search_media_follow_insert AFTER INSERT ON public.search_media FOR EACH ROW EXECUTE FUNCTION public.search_media_follow_insert();


--
-- Name: tags tags_sync_insert; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER tags_sync_insert AFTER INSERT ON public.tags FOR EACH ROW EXECUTE FUNCTION public.tags_sync_insert();


--
-- Name: transitions transitions_refuse_change; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER transitions_refuse_change BEFORE DELETE OR UPDATE ON public.transitions FOR EACH ROW EXECUTE FUNCTION public.transitions_refuse_change();


--
-- Name: api_tokens fk_api_tokens_user_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.api_tokens
    ADD CONSTRAINT fk_api_tokens_user_id FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;


--
-- Name: app_tokens fk_app_tokens_api_token_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.app_tokens
    ADD CONSTRAINT fk_app_tokens_api_token_id FOREIGN KEY (api_token_id) REFERENCES public.api_tokens(id) ON DELETE CASCADE;


--
-- Name: capture_failures fk_capture_failures_media_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.capture_failures
    ADD CONSTRAINT fk_capture_failures_media_id FOREIGN KEY (media_id) REFERENCES public.media(id) ON DELETE CASCADE;


--
-- Name: card_words fk_card_words_no; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.card_words
    ADD CONSTRAINT fk_card_words_no FOREIGN KEY (no) REFERENCES public.search_media(no) ON DELETE CASCADE;


--
-- Name: connect_codes fk_connect_codes_user_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.connect_codes
    ADD CONSTRAINT fk_connect_codes_user_id FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;


--
-- Name: documents fk_documents_media_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.documents
    ADD CONSTRAINT fk_documents_media_id FOREIGN KEY (media_id) REFERENCES public.media(id) ON DELETE CASCADE;


--
-- Name: earlier_copies fk_earlier_copies_item_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.earlier_copies
    ADD CONSTRAINT fk_earlier_copies_item_id FOREIGN KEY (item_id) REFERENCES public.items(id) ON DELETE CASCADE;


--
-- Name: earlier_copies fk_earlier_copies_shown_item_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.earlier_copies
    ADD CONSTRAINT fk_earlier_copies_shown_item_id FOREIGN KEY (shown_item_id) REFERENCES public.items(id) ON DELETE CASCADE;


--
-- Name: events fk_events_library_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.events
    ADD CONSTRAINT fk_events_library_id FOREIGN KEY (library_id) REFERENCES public.libraries(id) ON DELETE CASCADE;


--
-- Name: events fk_events_user_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.events
    ADD CONSTRAINT fk_events_user_id FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;


--
-- Name: fragments fk_fragments_media_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.fragments
    ADD CONSTRAINT fk_fragments_media_id FOREIGN KEY (media_id) REFERENCES public.media(id) ON DELETE CASCADE;


--
-- Name: highlight_words fk_highlight_words_no; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.highlight_words
    ADD CONSTRAINT fk_highlight_words_no FOREIGN KEY (no) REFERENCES public.search_highlights(no) ON DELETE CASCADE;


--
-- Name: highlights fk_highlights_media_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.highlights
    ADD CONSTRAINT fk_highlights_media_id FOREIGN KEY (media_id) REFERENCES public.media(id) ON DELETE CASCADE;


--
-- Name: highlights fk_highlights_user_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.highlights
    ADD CONSTRAINT fk_highlights_user_id FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;


--
-- Name: idempotency_keys fk_idempotency_keys_user_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.idempotency_keys
    ADD CONSTRAINT fk_idempotency_keys_user_id FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;


--
-- Name: image_assets fk_image_assets_media_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.image_assets
    ADD CONSTRAINT fk_image_assets_media_id FOREIGN KEY (media_id) REFERENCES public.media(id) ON DELETE CASCADE;


--
-- Name: image_link_keys fk_image_link_keys_user_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.image_link_keys
    ADD CONSTRAINT fk_image_link_keys_user_id FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;


--
-- Name: import_rows fk_import_rows_import_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.import_rows
    ADD CONSTRAINT fk_import_rows_import_id FOREIGN KEY (import_id) REFERENCES public.imports(id) ON DELETE CASCADE;


--
-- Name: import_rows fk_import_rows_item_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.import_rows
    ADD CONSTRAINT fk_import_rows_item_id FOREIGN KEY (item_id) REFERENCES public.items(id) ON DELETE SET NULL;


--
-- Name: imports fk_imports_library_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.imports
    ADD CONSTRAINT fk_imports_library_id FOREIGN KEY (library_id) REFERENCES public.libraries(id) ON DELETE CASCADE;


--
-- Name: imports fk_imports_user_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.imports
    ADD CONSTRAINT fk_imports_user_id FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;


--
-- Name: item_tags fk_item_tags_item_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.item_tags
    ADD CONSTRAINT fk_item_tags_item_id FOREIGN KEY (item_id) REFERENCES public.items(id) ON DELETE CASCADE;


--
-- Name: item_tags fk_item_tags_tag_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.item_tags
    ADD CONSTRAINT fk_item_tags_tag_id FOREIGN KEY (tag_id) REFERENCES public.tags(id) ON DELETE CASCADE;


--
-- Name: item_words fk_item_words_no; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.item_words
    ADD CONSTRAINT fk_item_words_no FOREIGN KEY (no) REFERENCES public.search_items(no) ON DELETE CASCADE;


--
-- Name: items fk_items_added_by; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.items
    ADD CONSTRAINT fk_items_added_by FOREIGN KEY (added_by) REFERENCES public.users(id) ON DELETE SET NULL;


--
-- Name: items fk_items_library_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.items
    ADD CONSTRAINT fk_items_library_id FOREIGN KEY (library_id) REFERENCES public.libraries(id) ON DELETE CASCADE;


--
-- Name: items fk_items_media_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.items
    ADD CONSTRAINT fk_items_media_id FOREIGN KEY (media_id) REFERENCES public.media(id) ON DELETE CASCADE;


--
-- Name: jobs fk_jobs_actor_user_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.jobs
    ADD CONSTRAINT fk_jobs_actor_user_id FOREIGN KEY (actor_user_id) REFERENCES public.users(id) ON DELETE SET NULL;


--
-- Name: libraries fk_libraries_owner_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.libraries
    ADD CONSTRAINT fk_libraries_owner_id FOREIGN KEY (owner_id) REFERENCES public.users(id) ON DELETE CASCADE;


--
-- Name: library_members fk_library_members_library_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.library_members
    ADD CONSTRAINT fk_library_members_library_id FOREIGN KEY (library_id) REFERENCES public.libraries(id) ON DELETE CASCADE;


--
-- Name: library_members fk_library_members_user_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.library_members
    ADD CONSTRAINT fk_library_members_user_id FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;


--
-- Name: library_numbers fk_library_numbers_item_no; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.library_numbers
    ADD CONSTRAINT fk_library_numbers_item_no FOREIGN KEY (item_no) REFERENCES public.search_items(no) ON DELETE CASCADE;


--
-- Name: media fk_media_superseded_by; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.media
    ADD CONSTRAINT fk_media_superseded_by FOREIGN KEY (superseded_by) REFERENCES public.media(id) ON DELETE SET NULL;


--
-- Name: merged_ids fk_merged_ids_new_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.merged_ids
    ADD CONSTRAINT fk_merged_ids_new_id FOREIGN KEY (new_id) REFERENCES public.media(id) ON DELETE CASCADE;


--
-- Name: oauth_grants fk_oauth_grants_client_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.oauth_grants
    ADD CONSTRAINT fk_oauth_grants_client_id FOREIGN KEY (client_id) REFERENCES public.oauth_clients(id) ON DELETE CASCADE;


--
-- Name: oauth_grants fk_oauth_grants_user_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.oauth_grants
    ADD CONSTRAINT fk_oauth_grants_user_id FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;


--
-- Name: page_captures fk_page_captures_media_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.page_captures
    ADD CONSTRAINT fk_page_captures_media_id FOREIGN KEY (media_id) REFERENCES public.media(id) ON DELETE CASCADE;


--
-- Name: page_captures fk_page_captures_user_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.page_captures
    ADD CONSTRAINT fk_page_captures_user_id FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE SET NULL;


--
-- Name: page_snapshots fk_page_snapshots_media_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.page_snapshots
    ADD CONSTRAINT fk_page_snapshots_media_id FOREIGN KEY (media_id) REFERENCES public.media(id) ON DELETE CASCADE;


--
-- Name: page_words fk_page_words_no; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.page_words
    ADD CONSTRAINT fk_page_words_no FOREIGN KEY (no) REFERENCES public.search_media(no) ON DELETE CASCADE;


--
-- Name: preferences fk_preferences_user_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.preferences
    ADD CONSTRAINT fk_preferences_user_id FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;


--
-- Name: private_pages fk_private_pages_library_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.private_pages
    ADD CONSTRAINT fk_private_pages_library_id FOREIGN KEY (library_id) REFERENCES public.libraries(id) ON DELETE CASCADE;


--
-- Name: private_pages fk_private_pages_media_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.private_pages
    ADD CONSTRAINT fk_private_pages_media_id FOREIGN KEY (media_id) REFERENCES public.media(id) ON DELETE CASCADE;


--
-- Name: reading_states fk_reading_states_media_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.reading_states
    ADD CONSTRAINT fk_reading_states_media_id FOREIGN KEY (media_id) REFERENCES public.media(id) ON DELETE CASCADE;


--
-- Name: reading_states fk_reading_states_user_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.reading_states
    ADD CONSTRAINT fk_reading_states_user_id FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;


--
-- Name: removed_items fk_removed_items_library_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.removed_items
    ADD CONSTRAINT fk_removed_items_library_id FOREIGN KEY (library_id) REFERENCES public.libraries(id) ON DELETE CASCADE;


--
-- Name: removed_items fk_removed_items_media_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.removed_items
    ADD CONSTRAINT fk_removed_items_media_id FOREIGN KEY (media_id) REFERENCES public.media(id) ON DELETE CASCADE;


--
-- Name: removed_items fk_removed_items_user_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.removed_items
    ADD CONSTRAINT fk_removed_items_user_id FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;


--
-- Name: search_highlights fk_search_highlights_highlight_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.search_highlights
    ADD CONSTRAINT fk_search_highlights_highlight_id FOREIGN KEY (highlight_id) REFERENCES public.highlights(id) ON DELETE CASCADE;


--
-- Name: search_items fk_search_items_item_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.search_items
    ADD CONSTRAINT fk_search_items_item_id FOREIGN KEY (item_id) REFERENCES public.items(id) ON DELETE CASCADE;


--
-- Name: search_media fk_search_media_media_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.search_media
    ADD CONSTRAINT fk_search_media_media_id FOREIGN KEY (media_id) REFERENCES public.media(id) ON DELETE CASCADE;


--
-- Name: sessions fk_sessions_user_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT fk_sessions_user_id FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;


--
-- Name: synced_items fk_synced_items_item_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.synced_items
    ADD CONSTRAINT fk_synced_items_item_id FOREIGN KEY (item_id) REFERENCES public.items(id) ON DELETE CASCADE;


--
-- Name: tags fk_tags_library_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.tags
    ADD CONSTRAINT fk_tags_library_id FOREIGN KEY (library_id) REFERENCES public.libraries(id) ON DELETE CASCADE;


--
-- Name: transitions fk_transitions_media_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.transitions
    ADD CONSTRAINT fk_transitions_media_id FOREIGN KEY (media_id) REFERENCES public.media(id) ON DELETE CASCADE;


--
-- Name: undo_batches fk_undo_batches_user_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.undo_batches
    ADD CONSTRAINT fk_undo_batches_user_id FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;


--
-- Name: url_aliases fk_url_aliases_media_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.url_aliases
    ADD CONSTRAINT fk_url_aliases_media_id FOREIGN KEY (media_id) REFERENCES public.media(id) ON DELETE CASCADE;


--
-- Name: url_hashes fk_url_hashes_item_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.url_hashes
    ADD CONSTRAINT fk_url_hashes_item_id FOREIGN KEY (item_id) REFERENCES public.items(id) ON DELETE CASCADE;


--
-- PostgreSQL database dump complete
--


