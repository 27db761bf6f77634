use crate::fixture::*;
#[test]
fn bench() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = crate::Store::open(&dir.path().join("s.sqlite")).unwrap();
    store.begin_campaign(&subject(), &sets(), 1).unwrap();
    let mut batch = (Vec::new(), Vec::new());
    let t = std::time::Instant::now();
    let mut gen_time = std::time::Duration::ZERO;
    let mut rec = std::time::Duration::ZERO;
    let n = 3_000u64;
    for i in 0..n {
        let g = std::time::Instant::now();
        let x = i.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let a: Vec<i64> = (0..(x % 5)).map(|k| ((x >> (k * 6)) % 60) as i64).collect();
        let mut steps = set_of(0, &a);
        let b = steps.len() as u32;
        let c: Vec<i64> = (0..((x >> 7) % 4)).map(|k| ((x >> (k * 5 + 3)) % 60) as i64).collect();
        steps.extend(set_of(b, &c));
        steps.push(step(MERGE, vec![obj(0), obj(b)]));
        let (s, call) = run(&steps);
        batch.0.extend(s);
        batch.1.push(call);
        gen_time += g.elapsed();
        if batch.1.len() == 500 {
            let r = std::time::Instant::now();
            store.record_calls(&batch.0, &batch.1).unwrap();
            rec += r.elapsed();
            batch.0.clear();
            batch.1.clear();
        }
    }
    println!(
        "{n} calls gen {gen_time:?} record {rec:?} total {:?} {:?}",
        t.elapsed(),
        store.counts().unwrap()
    );
    for (op, text) in [
        (MERGE, "!self.is_disjoint(other)"),
        (MERGE, "self.len() < other.len()"),
        (INSERT, "self.len() == 3"),
        (AT, "index >= self.len()"),
        (MERGE, "self.len()+other.len() == 77"),
    ] {
        let p = predicate(op, text);
        let r = std::time::Instant::now();
        let f = store
            .tuples(&crate::Wanted {
                op,
                predicate: &p,
                limit: 45,
                timeout: std::time::Duration::from_secs(60),
                spread: crate::Spread::Any,
            })
            .unwrap();
        println!("{text}: {} {:?}", f.tuples.len(), r.elapsed());
    }
    let r = std::time::Instant::now();
    println!(
        "{} {:?}",
        store.transitions(MERGE, &predicate(MERGE, "self.len() > 3"), 8).unwrap().len(),
        r.elapsed()
    );
    let r = std::time::Instant::now();
    println!("samples {} {:?}", store.samples().unwrap()[&MERGE].len(), r.elapsed());
    println!("size {}", std::fs::metadata(dir.path().join("s.sqlite")).unwrap().len());
}
#[test]
fn plans() {
    let store = begun();
    for sql in [
        "SELECT count(*) FROM relation WHERE query = ?1 AND state_a = ?2 AND state_b = ?3 AND int_value IS ?4 AND kind = ?5 AND text_value IS ?6",
        "SELECT object.id FROM recipe JOIN object ON object.recipe = recipe.id WHERE recipe.digest = ?1 AND object.step = ?2 AND object.out = ?3",
        "SELECT 1 FROM recipe JOIN call ON call.recipe = recipe.id WHERE digest = ?1",
        "SELECT count(*) FROM object WHERE state = ?1 AND pinned = 0",
        "SELECT id FROM object WHERE state = ?1 AND pinned = 0 AND steps > ?2 ORDER BY steps DESC, id DESC LIMIT 1",
        "SELECT count(*) FROM call WHERE operation = ?1 AND keep_key = ?2",
        "UPDATE transition SET count = count + 1 WHERE operation = ?1 AND key = ?2 RETURNING id, steps",
        "UPDATE state SET steps = min(ifnull(steps, ?2), ?2) WHERE id = ?1",
        "DELETE FROM object WHERE id = ?1",
        "SELECT id FROM state WHERE type = ?1 AND digest = ?2",
    ] {
        let mut st = store.connection.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
        let n = st.parameter_count();
        let rows = st
            .query_map(rusqlite::params_from_iter(vec![1i64; n]), |r| r.get::<_, String>(3))
            .unwrap();
        println!("{sql}");
        for r in rows {
            println!("     {}", r.unwrap());
        }
    }
}
