BEGIN TRANSACTION;
CREATE TABLE remit_answers (
	run TEXT NOT NULL, 
	epoch INTEGER NOT NULL, 
	number INTEGER NOT NULL, 
	start INTEGER NOT NULL, 
	call TEXT NOT NULL, 
	body TEXT NOT NULL, 
	follows INTEGER NOT NULL, 
	PRIMARY KEY (run, epoch, number, start)
);
CREATE TABLE remit_artifact_contents (
	digest TEXT NOT NULL, 
	content BLOB NOT NULL, 
	PRIMARY KEY (digest)
);
CREATE TABLE remit_artifacts (
	digest TEXT NOT NULL, 
	tenant TEXT NOT NULL, 
	principal TEXT NOT NULL, 
	application TEXT NOT NULL, 
	conversation TEXT NOT NULL, 
	run TEXT NOT NULL, 
	PRIMARY KEY (digest, tenant, principal, application, conversation, run)
);
CREATE TABLE remit_attached (
	call TEXT NOT NULL, 
	run TEXT NOT NULL, 
	PRIMARY KEY (call)
);
CREATE TABLE remit_changes (
	number BIGINT NOT NULL, 
	PRIMARY KEY (number)
);
INSERT INTO "remit_changes" VALUES(11);
CREATE TABLE remit_conversations (
	id TEXT NOT NULL, 
	tenant TEXT NOT NULL, 
	application TEXT NOT NULL, 
	conversation TEXT NOT NULL, 
	owner TEXT NOT NULL, 
	target TEXT NOT NULL, 
	given_title TEXT NOT NULL, 
	first_message TEXT NOT NULL, 
	shared TEXT NOT NULL, 
	deletion TEXT NOT NULL, 
	opened FLOAT NOT NULL, 
	active FLOAT NOT NULL, 
	first TEXT NOT NULL, 
	latest TEXT NOT NULL, 
	signature BLOB, 
	changed BIGINT NOT NULL, 
	PRIMARY KEY (id)
);
INSERT INTO "remit_conversations" VALUES('a66d30bdcb0aea1e0bc9663153c4cf2e','default','golden','words','ada','','','Keep bread.','{}','',1800000000.0,1800000055.0,'first','third',X'DCE56C39748BC0FC288C37FF1EB1476A93432D3D70BAADB91BAEDCA2C6FC9B71',9);
CREATE TABLE remit_grants (
	grant TEXT NOT NULL, 
	tenant TEXT NOT NULL, 
	tool TEXT NOT NULL, 
	given FLOAT NOT NULL, 
	expires FLOAT NOT NULL, 
	count INTEGER NOT NULL, 
	used INTEGER NOT NULL, 
	revoked TEXT NOT NULL, 
	body TEXT NOT NULL, 
	signature BLOB, 
	PRIMARY KEY (grant)
);
CREATE TABLE remit_items (
	run TEXT NOT NULL, 
	seq INTEGER NOT NULL, 
	epoch INTEGER NOT NULL, 
	at FLOAT NOT NULL, 
	kind TEXT NOT NULL, 
	call TEXT NOT NULL, 
	body TEXT NOT NULL, 
	digest BLOB NOT NULL, 
	chain BLOB NOT NULL, 
	PRIMARY KEY (run, seq)
);
INSERT INTO "remit_items" VALUES('first',0,1,1800000000.0,'opened','first','{"format":1,"tenant":"default","principal":"ada","application":"golden","agent":"","callee":"keeper","arguments":"{\"prompt\":\"Keep bread.\"}","conversation":"words","after":"","terms":"[[[\"\"],{\"layers\":[\"Authorize\",\"Validate\",\"Budget\",\"Approve\"],\"limits\":{\"Approve.max_questions\":20.0,\"Budget.calls\":256.0,\"Budget.depth\":8.0,\"Limits.agent_depth\":5.0,\"Limits.answer_calls\":128.0,\"Limits.argument_bytes\":1048576.0,\"Limits.argument_depth\":64.0,\"Limits.artifact_bytes\":67108864.0,\"Limits.callback_seconds\":30.0,\"Limits.error_bytes\":16384.0,\"Limits.handoffs\":10.0,\"Limits.image_bytes\":3932160.0,\"Limits.note_bytes\":65536.0,\"Limits.output_bytes\":262144.0,\"Limits.reason_bytes\":4096.0,\"Limits.reply_bytes\":2097152.0,\"Limits.reply_seconds\":1800.0},\"policies\":[[[\"high risk\",2],[\"egress\",2],[\"undeclared\",2]]]}],[[\"keeper\"],{\"limits\":{\"output_bytes\":262144.0,\"repeats\":3.0,\"turns\":16.0}}]]","held":["*"]}',X'9CAFD94E66B90E62FA90AC0A5CFAF29ADF90BB78B337E6477BD683F7EDE2CD2D',X'2351B9D797A8F2CD5D3050D9B9A5E9AC73E15D6C4C1246174434EC86E6D7EC17');
INSERT INTO "remit_items" VALUES('first',1,1,1800000003.0,'message','a53770a3ec330c60929d5aa090b6075f','{"agent":"a53770a3ec330c60929d5aa090b6075f","text":"{\"role\":\"system\",\"content\":\"Keep words.\"}","by":"instructions"}',X'1190A8E9614516E0244D1FA780885F1E4FA85A53E92E292F4908D7FB77E22456',X'73AC85D0FEA6CC4923BEAAC2284CD19C59E0D7B25FD18C50B654E2A4EC268F87');
INSERT INTO "remit_items" VALUES('first',2,1,1800000004.0,'message','a53770a3ec330c60929d5aa090b6075f','{"agent":"a53770a3ec330c60929d5aa090b6075f","text":"{\"role\":\"user\",\"content\":\"Keep bread.\"}","by":"person"}',X'F9B5CE7A84378E94D71E0C40B32A4F2042FFEE44D472794F59242F78CFFED66D',X'DDE5191824EB0A85F484F4C0AD38F6C9DB49C5E10480BE44E6619BEDAF27A50F');
INSERT INTO "remit_items" VALUES('first',3,1,1800000005.0,'message','a53770a3ec330c60929d5aa090b6075f:1','{"agent":"a53770a3ec330c60929d5aa090b6075f","text":"{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":\"call_0_look\",\"type\":\"function\",\"function\":{\"name\":\"look\",\"arguments\":\"{\\\"word\\\": \\\"bread\\\"}\"}},{\"id\":\"call_1_save\",\"type\":\"function\",\"function\":{\"name\":\"save\",\"arguments\":\"{\\\"word\\\": \\\"bread\\\"}\"}},{\"id\":\"call_2_move\",\"type\":\"function\",\"function\":{\"name\":\"move\",\"arguments\":\"{\\\"word\\\": \\\"bread\\\"}\"}},{\"id\":\"call_3_nothing\",\"type\":\"function\",\"function\":{\"name\":\"nothing\",\"arguments\":\"{}\"}}]}","request":"d16a04a9422f6b93893464472fc030beeeaaaaf5b28a42d6ea5009beee7d2f49"}',X'BB3129B817EA85DA4FED8403143BF9DE57E11F58251B25C4AE9C0A1921B10EC4',X'79D7CB44B0368EF9A8363EFA026DF8F1252DEDE0C3B6DF083C9F333B66F6D548');
INSERT INTO "remit_items" VALUES('first',4,1,1800000006.0,'usage','a53770a3ec330c60929d5aa090b6075f:1','{"model":"scripted (no model)","finish":"tool_calls","prompt_tokens":0,"completion_tokens":0,"response":"","requested":"scripted:scripted (no model)"}',X'689AE13A2BEBEA00D57192F40157C6D12994CD275FA905A9F27B03EE73174D68',X'89BD40F632622124B570F867E7330AFD04A87561AADC4A76EBDC96FE01EAAB8B');
INSERT INTO "remit_items" VALUES('first',5,1,1800000007.0,'started','a8df159cdd72050b2c571c22a367481c','{"parent":"a53770a3ec330c60929d5aa090b6075f","callee":"look","wire":"call_0_look","attempt":1}',X'BD82CD85E1FE1F6D8686854EFB3A9B91064076F2B3E558EF0085EBB83C93EDEE',X'A6381C6EB047B38BB0AF40A98FD06B7A37CEBECBCE614CE186D8CD99749F4034');
INSERT INTO "remit_items" VALUES('first',6,1,1800000008.0,'tool_output','a8df159cdd72050b2c571c22a367481c','{"parent":"a53770a3ec330c60929d5aa090b6075f","callee":"look","wire":"call_0_look","text":"{\"role\":\"tool\",\"tool_call_id\":\"call_0_look\",\"content\":\"bread: a w\u00f6rd \u2014 \u8a9e\"}","outcome":"ok","final":false}',X'29C35A7D08F3D33666D11E294EE7179BE7A2BAA0D5A9B0D8BFDFC9F9F77F3A12',X'C137DD99FC049B61C8A9AA3A73CBA4C81602EC07740C75A632CCD904766D0C67');
INSERT INTO "remit_items" VALUES('first',7,1,1800000009.0,'started','7c9a3a07133db4c2d9f0776df12d7865','{"parent":"a53770a3ec330c60929d5aa090b6075f","callee":"save","wire":"call_1_save","attempt":1}',X'35D1FC3CDCE7A06775C00F891D66FB3DF24B604E350146CD7B68819BB35F0444',X'E67D8F69798FE38DAD6464B71325AA1B6EB499E05F061E809F88109CFB40E031');
INSERT INTO "remit_items" VALUES('first',8,1,1800000010.0,'entered','8d5a02b11ce27a63340b489cab01f875','{"parent":"a53770a3ec330c60929d5aa090b6075f","callee":"move","wire":"call_2_move"}',X'104103AE57DC05046FFD1FE21E526FC59226BCC50E2EE17E414479CD75AFD26B',X'129F80049F58FB220368019D2E479913EBC5BB3EAECEA5B492D46797A53F1A7D');
INSERT INTO "remit_items" VALUES('first',9,1,1800000011.0,'started','4ff5f988d19464a127785963f82f3584','{"parent":"8d5a02b11ce27a63340b489cab01f875","callee":"save","attempt":1}',X'8FDB267A2A0F3453FD8FA034356F2F067743B6D3CA08CCCADDEDF56F7CF28108',X'42A8A37A9B5A54A304E5B3BB4CB8056BA9BD966E14D925D66D001567543315C7');
INSERT INTO "remit_items" VALUES('first',10,1,1800000012.0,'started','8675206449726ca32edb8b7b1532ca01','{"parent":"a53770a3ec330c60929d5aa090b6075f","callee":"nothing","wire":"call_3_nothing","attempt":1}',X'CFFEB9144839B7B83EB05B7F3D9B25634B61F30A610378EF01DEB49E27230092',X'E9B5A5929724380CBC6D6501E71546B1FC4271B54CA51E3C2C6ED6DACBAFEC65');
INSERT INTO "remit_items" VALUES('first',11,1,1800000013.0,'ended','8675206449726ca32edb8b7b1532ca01','{"attempt":1,"outcome":"error","content":"{\"success\":false,\"error\":\"there is no tool ''nothing''\",\"errorCode\":\"UNKNOWN_TOOL\"}"}',X'B954782CC5428899E21AF73AF1B835001C951D217B0F683B4BABA60884C87C14',X'CC436E9325BE05D7481938F2C4800EBC7C8B371E4CDAC3CA386B523490687FEC');
INSERT INTO "remit_items" VALUES('first',12,1,1800000014.0,'tool_output','8675206449726ca32edb8b7b1532ca01','{"parent":"a53770a3ec330c60929d5aa090b6075f","callee":"nothing","wire":"call_3_nothing","text":"{\"role\":\"tool\",\"tool_call_id\":\"call_3_nothing\",\"content\":\"{\\\"success\\\":false,\\\"error\\\":\\\"there is no tool ''nothing''\\\",\\\"errorCode\\\":\\\"UNKNOWN_TOOL\\\"}\"}","outcome":"error","final":false}',X'8B18F703054A2E3BC41A9CCECE45C41D473B6600E7F04F97193904665833EAEE',X'DE75BF789311BDE397CE8E77D43112AC04D55D31B6FB0B088E365E84ACF59AB5');
INSERT INTO "remit_items" VALUES('first',13,1,1800000015.0,'note','7c9a3a07133db4c2d9f0776df12d7865','{"name":"log","data":"{\"message\":\"saved\",\"word\":\"bread\"}"}',X'0FA91F28E8314F6096BF417E87E7E459F45655055C906C79CEF4DD30628BC309',X'EE8BC0EC27ADC19CA3EE9BAA3A86572962CB5822284CA8972B6CABB3BBA17718');
INSERT INTO "remit_items" VALUES('first',14,1,1800000016.0,'ended','7c9a3a07133db4c2d9f0776df12d7865','{"attempt":1,"outcome":"ok","content":"{\"bread\":1}"}',X'D3021F2163A0A6590B3BC0358B20D9F860A368E07127E3351BD372C09E4CB124',X'1D8DDD79610DA3368B4885E36D66E6EEB9DFD43FFE9ECDCBB1D38E896F6414C8');
INSERT INTO "remit_items" VALUES('first',15,1,1800000017.0,'note','4ff5f988d19464a127785963f82f3584','{"name":"log","data":"{\"message\":\"saved\",\"word\":\"bread\"}"}',X'0FA91F28E8314F6096BF417E87E7E459F45655055C906C79CEF4DD30628BC309',X'C94DA66BC0DB1A62508700DF803A69A3DF595B43B9C19AC3FD07740E50FC8F5A');
INSERT INTO "remit_items" VALUES('first',16,1,1800000018.0,'ended','4ff5f988d19464a127785963f82f3584','{"attempt":1,"outcome":"ok","content":"{\"bread\":2}"}',X'6C0B10C899CEF5AA5B47E99AD0C34C0543AAC38F57B5A154BABCCB5B79B22D2B',X'8BCF32BE4B2B48F2FB5673DF1E6749BA4EA0F2A7D7EA749E183DE5B12B62736A');
INSERT INTO "remit_items" VALUES('first',17,1,1800000019.0,'tool_output','7c9a3a07133db4c2d9f0776df12d7865','{"parent":"a53770a3ec330c60929d5aa090b6075f","callee":"save","wire":"call_1_save","text":"{\"role\":\"tool\",\"tool_call_id\":\"call_1_save\",\"content\":\"{\\\"bread\\\":1}\"}","outcome":"ok","final":false}',X'EEEDD4F996D4256BA39348308678327E6ED7319C9B9E477D776503D735143C12',X'49C8127B0BE5355FE8A3E63AC2275934297751A01A44A7C32D9D5EC4915D3942');
INSERT INTO "remit_items" VALUES('first',18,1,1800000020.0,'tool_output','4ff5f988d19464a127785963f82f3584','{"parent":"8d5a02b11ce27a63340b489cab01f875","callee":"save","wire":"","text":"{\"bread\":2}","outcome":"ok","final":false}',X'63111B91A67E5DC98CF7ACE0E7FB53BF573BC4FB2588F292FFB3655B54E9CE8A',X'779DE5D2495E296CB914255FF0EE57CD3598AACE82167AA091958C832F9605DF');
INSERT INTO "remit_items" VALUES('first',19,1,1800000021.0,'started','a0f056a6830c72db42d7e3dd1b84da49','{"parent":"8d5a02b11ce27a63340b489cab01f875","callee":"look","attempt":1}',X'32B4ECF83595408B0185097B09F989A814C8CD3280BFE5F6D0FFCE2B238FF3F7',X'F87EFC3CDAE2276C2BC83DDF104B03C1C1305F8F54D9B62383BA131686C99FA3');
INSERT INTO "remit_items" VALUES('first',20,1,1800000022.0,'tool_output','a0f056a6830c72db42d7e3dd1b84da49','{"parent":"8d5a02b11ce27a63340b489cab01f875","callee":"look","wire":"","text":"bread: a w\u00f6rd \u2014 \u8a9e","outcome":"ok","final":false}',X'D9CE83592850391C12C9D47C73AED54C18ACE092A66BF9B9645344911337D2EE',X'CFBFE696F761EF417438BA44F7E6F8A8F1124B06C0C2FEC86F1483185C89C8C8');
INSERT INTO "remit_items" VALUES('first',21,1,1800000023.0,'tool_output','8d5a02b11ce27a63340b489cab01f875','{"parent":"a53770a3ec330c60929d5aa090b6075f","callee":"move","wire":"call_2_move","text":"{\"role\":\"tool\",\"tool_call_id\":\"call_2_move\",\"content\":\"moved bread: a w\u00f6rd \u2014 \u8a9e\"}","outcome":"ok","final":false}',X'DF84B931EF41A88F60B160B05D68279843A52F405BA076A055ED7917675A01B2',X'2E5FF5DFD3D960328316F33BCEC016D5915F687CAD15FF4C8FBAB490E0937E8D');
INSERT INTO "remit_items" VALUES('first',22,1,1800000024.0,'message','a53770a3ec330c60929d5aa090b6075f:2','{"agent":"a53770a3ec330c60929d5aa090b6075f","text":"{\"role\":\"assistant\",\"content\":\"Bread is saved.\"}","request":"b31c05e861702e357aa5a3c35f0cd602a7aa944af22e0c8c114e7295b4fd43a2"}',X'D13BBE6808A5A617EF3B62523A3C0CA8CCEE65E40D248D079AC50F8A6F3731A5',X'B63077FA3C6A617CB9781FDC7289BCE0EEC94FD1A442EF9703EC7B85DFD2C01B');
INSERT INTO "remit_items" VALUES('first',23,1,1800000025.0,'usage','a53770a3ec330c60929d5aa090b6075f:2','{"model":"scripted (no model)","finish":"stop","prompt_tokens":0,"completion_tokens":0,"response":"","requested":"scripted:scripted (no model)"}',X'87932042A1F9D5CF091F03A406995837C17750E1A48AD0E2C5DC6939DDFE5843',X'32FD63F4BEDF4DC96C456C5BC94E53D235D147C75DBE8279B54296A837C72932');
INSERT INTO "remit_items" VALUES('first',24,1,1800000026.0,'tool_output','a53770a3ec330c60929d5aa090b6075f','{"parent":"","callee":"keeper","wire":"","text":"Bread is saved.","outcome":"ok","final":false}',X'BDC5B8E2ED70327708A2FF8B9675999778E9FCF02DE12A00876C1AA5D922F582',X'4ECCB5E6D5121F548A0263D2239AD2CD3172F8C6D8AE8322D6DFC29EF03F59E1');
INSERT INTO "remit_items" VALUES('first',25,1,1800000027.0,'finished','first','{"status":"done","error":""}',X'7459408151D58F0009FFB67168C1B65566A51780BD3976A42AAE9CAD0B9AE956',X'19DD109DAA02636109B05A2410115574FE14305A5776078E870324D3A6C1008E');
INSERT INTO "remit_items" VALUES('second',0,1,1800000028.0,'opened','second','{"format":1,"tenant":"default","principal":"ada","application":"golden","agent":"","callee":"keeper","arguments":"{\"prompt\":\"Erase bread.\"}","conversation":"words","after":"first","terms":"[[[\"\"],{\"layers\":[\"Authorize\",\"Validate\",\"Budget\",\"Approve\"],\"limits\":{\"Approve.max_questions\":20.0,\"Budget.calls\":256.0,\"Budget.depth\":8.0,\"Limits.agent_depth\":5.0,\"Limits.answer_calls\":128.0,\"Limits.argument_bytes\":1048576.0,\"Limits.argument_depth\":64.0,\"Limits.artifact_bytes\":67108864.0,\"Limits.callback_seconds\":30.0,\"Limits.error_bytes\":16384.0,\"Limits.handoffs\":10.0,\"Limits.image_bytes\":3932160.0,\"Limits.note_bytes\":65536.0,\"Limits.output_bytes\":262144.0,\"Limits.reason_bytes\":4096.0,\"Limits.reply_bytes\":2097152.0,\"Limits.reply_seconds\":1800.0},\"policies\":[[[\"high risk\",2],[\"egress\",2],[\"undeclared\",2]]]}],[[\"keeper\"],{\"limits\":{\"output_bytes\":262144.0,\"repeats\":3.0,\"turns\":16.0}}]]","held":["*"]}',X'D65E0B378EC5898205DDB96F8C1CB8197AC893EB97F20F586AC24EA983971BC0',X'67AD9398E074E097BCDB792D07483D70AA8D5C2454B17951E489CD564E8EBE2E');
INSERT INTO "remit_items" VALUES('second',1,1,1800000031.0,'message','e5f5ccda5ce3f7ea55435b96bb8e8049','{"agent":"e5f5ccda5ce3f7ea55435b96bb8e8049","text":"{\"role\":\"system\",\"content\":\"Keep words.\"}","by":"instructions"}',X'F0DCB0DF71F2F3A9FF0DDE30B278B34C6DDF343648278627D2648DD274C22BFD',X'F816DE7B2B383A1519A53010CE6F45E5525A5FD2D28E27758967DC415F548F2B');
INSERT INTO "remit_items" VALUES('second',2,1,1800000032.0,'message','e5f5ccda5ce3f7ea55435b96bb8e8049','{"agent":"e5f5ccda5ce3f7ea55435b96bb8e8049","text":"{\"role\":\"user\",\"content\":\"Erase bread.\"}","by":"person"}',X'57821DB737464B4CA5114ABE70C5B200CF6BB40E3E94EE84C7476CECACBB9385',X'0D815B511E35BD9A99422806AABE4DDD65A56380CAB8770AA5FC10332BC8A359');
INSERT INTO "remit_items" VALUES('second',3,1,1800000033.0,'message','e5f5ccda5ce3f7ea55435b96bb8e8049:1','{"agent":"e5f5ccda5ce3f7ea55435b96bb8e8049","text":"{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":\"call_0_erase\",\"type\":\"function\",\"function\":{\"name\":\"erase\",\"arguments\":\"{\\\"word\\\": \\\"bread\\\"}\"}}]}","request":"76a76c1aa3b4dc9d97525317750047f48e9d7c27b9295c4a13c1dbfd4b1201b5"}',X'C20CEE21FE728DA306D3EDB53EAC16AE2C75F150EDB9056DB05C39613AC534DC',X'CE28AA400D71039960D9CAD53471A8F1460E9434670DBF1A384FF163604379EC');
INSERT INTO "remit_items" VALUES('second',4,1,1800000034.0,'usage','e5f5ccda5ce3f7ea55435b96bb8e8049:1','{"model":"scripted (no model)","finish":"tool_calls","prompt_tokens":0,"completion_tokens":0,"response":"","requested":"scripted:scripted (no model)"}',X'689AE13A2BEBEA00D57192F40157C6D12994CD275FA905A9F27B03EE73174D68',X'2E16921CB33C50FA9271F8E35CDDC32E68D3F9830F76AA75D6C6DEA8410E68F1');
INSERT INTO "remit_items" VALUES('second',5,1,1800000038.0,'question','62bd659eb4e86ea4a3eadf16703ab969','{"parent":"e5f5ccda5ce3f7ea55435b96bb8e8049","callee":"erase","wire":"call_0_erase","about":"approval","question":"18fb0984f3da","body":"{\"id\":\"18fb0984f3da\",\"match\":\"3daf56b8c3aa8521cb1b8e13dcc7711f\",\"kind\":\"approval\",\"tenant\":\"default\",\"conversation\":\"words\",\"run\":\"second\",\"call\":\"62bd659eb4e86ea4a3eadf16703ab969\",\"agent\":\"keeper\",\"asker\":\"ada\",\"tool\":\"erase\",\"arguments\":\"{\\\"word\\\":\\\"bread\\\"}\",\"definition\":\"d5798ca9a817d8160c009a653ca84776\",\"risk\":\"high\",\"rule\":\"high risk\",\"reason\":\"erase is high-risk\",\"who\":\"approvals:decide\",\"asked\":1800000035.0,\"expires\":1800604835.0,\"waits\":true,\"four_eyes\":false,\"shown\":\"\",\"edits\":\"\",\"editor\":\"\",\"layer\":0,\"replaces\":\"\",\"changes\":[],\"link\":\"\",\"state\":\"\",\"message\":\"Erase bread.\",\"news\":[],\"needs\":\"approve\",\"plan\":[],\"within\":\"\",\"further_permissions\":[]}"}',X'D4A03B4FCCB6B86C3689B0C4601D46D05577C235497199F8B740338C4692E256',X'BCE436CDDCAFE1F659F3D97EFA8812903D7A17CF71D244D427B23F5912C856E7');
INSERT INTO "remit_items" VALUES('second',6,1,1800000040.0,'suspended','second','{"questions":["18fb0984f3da"]}',X'DE754BFBF043E7E0587D74B7E638D2280DCA8CEE73490BF29299DCA4F59B620A',X'D1991686B8CD3A12D509B4C3A4416BF799627363BC76792B0CC4C0705A820A24');
INSERT INTO "remit_items" VALUES('second',7,2,1800000044.0,'resumed','second','{"driver":"31378-v7nnt87ww8fk"}',X'13887C9959798D5585BCC5CB7F776B7EFA7FED65D0A13BDA8BED0C169BFC6651',X'963A996103BEA909DB05FD525B12AD1881397489674EA89AE023F880E6A7FA20');
INSERT INTO "remit_items" VALUES('second',8,2,1800000045.0,'decision','62bd659eb4e86ea4a3eadf16703ab969','{"question":"18fb0984f3da","body":"{\"question\":\"18fb0984f3da\",\"approved\":true,\"by\":\"ada\",\"result\":\"\",\"reason\":\"it is stale\",\"at\":1800000041.0,\"arguments\":\"\",\"grant\":\"\",\"kind\":\"approve\"}"}',X'6DF31FB67EAE628CDA8905CFE224D68F8FF21533418003A32C063E582D4FFCD9',X'EE530CDB1021F7E5191ED0677B02801A1EFFCC2609AE90285F8452676D68AC60');
INSERT INTO "remit_items" VALUES('second',9,2,1800000048.0,'started','62bd659eb4e86ea4a3eadf16703ab969','{"parent":"e5f5ccda5ce3f7ea55435b96bb8e8049","callee":"erase","wire":"call_0_erase","attempt":1,"question":"18fb0984f3da"}',X'8F1231FA1974B92419346B8F55B0F157B4D78A3AC9652ABFC67284D8BDEE74E6',X'4B5620EF2592BE0D812AAF49A0D186F22149EA61F7E3D48A344FBC65B8503812');
INSERT INTO "remit_items" VALUES('second',10,2,1800000049.0,'ended','62bd659eb4e86ea4a3eadf16703ab969','{"attempt":1,"outcome":"ok","content":"erased bread"}',X'A65657BBD7ADD0B45715084835EED76713B157612EDDF4DE785712020C59570C',X'75460685C3D72D8C2E06D30E8ABE6A227F45BBE6CED712793CEF6723AC5EA63D');
INSERT INTO "remit_items" VALUES('second',11,2,1800000050.0,'tool_output','62bd659eb4e86ea4a3eadf16703ab969','{"parent":"e5f5ccda5ce3f7ea55435b96bb8e8049","callee":"erase","wire":"call_0_erase","text":"{\"role\":\"tool\",\"tool_call_id\":\"call_0_erase\",\"content\":\"erased bread\"}","outcome":"ok","final":false}',X'9CE075862F28E1E7146E25B932D3F1AA58A8D1BB6C8E9F04242D3D7F0713CE52',X'477EF614C2F3876541794C9B111606AB41853BF3903B0DDD41375A6585CAC3B6');
INSERT INTO "remit_items" VALUES('second',12,2,1800000051.0,'message','e5f5ccda5ce3f7ea55435b96bb8e8049:2','{"agent":"e5f5ccda5ce3f7ea55435b96bb8e8049","text":"{\"role\":\"assistant\",\"content\":\"Bread is erased.\"}","request":"1f72eb7140be6ac75b7ef640e33c08e72cd12d71350976ebb094ebf04a92d413"}',X'DC91114CA1620C9961C042F9012D2B43BC86C3C5684845D1F53425786F7BB71E',X'7D1D199BEA185D8CDD71B001BD864C4F17020A350270ED98A22E01ACC8CBF03D');
INSERT INTO "remit_items" VALUES('second',13,2,1800000052.0,'usage','e5f5ccda5ce3f7ea55435b96bb8e8049:2','{"model":"scripted (no model)","finish":"stop","prompt_tokens":0,"completion_tokens":0,"response":"","requested":"scripted:scripted (no model)"}',X'87932042A1F9D5CF091F03A406995837C17750E1A48AD0E2C5DC6939DDFE5843',X'8422B285FD8E5C32B7FA147C763ACD0690E21CB979D333EF3170BBF313F2E76E');
INSERT INTO "remit_items" VALUES('second',14,2,1800000053.0,'tool_output','e5f5ccda5ce3f7ea55435b96bb8e8049','{"parent":"","callee":"keeper","wire":"","text":"Bread is erased.","outcome":"ok","final":false}',X'E74CFF7B656BFB2B34D306A8F9BB48AB2C684E64A7BBA52E2D23858E6BEC6DA8',X'D55939161B28B516E9417E6860924548CBC2E83334996977EBED0E636285468E');
INSERT INTO "remit_items" VALUES('second',15,2,1800000054.0,'finished','second','{"status":"done","error":""}',X'7459408151D58F0009FFB67168C1B65566A51780BD3976A42AAE9CAD0B9AE956',X'F660915E27A16FE5B42DD2469EF81229E79685156E10CFDBFB4989C2EDEA5D21');
INSERT INTO "remit_items" VALUES('third',0,1,1800000055.0,'opened','third','{"format":1,"tenant":"default","principal":"ada","application":"golden","agent":"","callee":"keeper","arguments":"{\"prompt\":\"Erase salt.\"}","conversation":"words","after":"second","terms":"[[[\"\"],{\"layers\":[\"Authorize\",\"Validate\",\"Budget\",\"Approve\"],\"limits\":{\"Approve.max_questions\":20.0,\"Budget.calls\":256.0,\"Budget.depth\":8.0,\"Limits.agent_depth\":5.0,\"Limits.answer_calls\":128.0,\"Limits.argument_bytes\":1048576.0,\"Limits.argument_depth\":64.0,\"Limits.artifact_bytes\":67108864.0,\"Limits.callback_seconds\":30.0,\"Limits.error_bytes\":16384.0,\"Limits.handoffs\":10.0,\"Limits.image_bytes\":3932160.0,\"Limits.note_bytes\":65536.0,\"Limits.output_bytes\":262144.0,\"Limits.reason_bytes\":4096.0,\"Limits.reply_bytes\":2097152.0,\"Limits.reply_seconds\":1800.0},\"policies\":[[[\"high risk\",2],[\"egress\",2],[\"undeclared\",2]]]}],[[\"keeper\"],{\"limits\":{\"output_bytes\":262144.0,\"repeats\":3.0,\"turns\":16.0}}]]","held":["*"]}',X'F36F90B38EB215395F763D47CFD48CFA828511D456C7EA9DED29EBE64AADBF79',X'7864D451ECA89132B11CE1803B00981D93BEF336C987A9D3FED2F9B259D6F851');
INSERT INTO "remit_items" VALUES('third',1,1,1800000058.0,'message','1cefc44e168054be3f655e671d292060','{"agent":"1cefc44e168054be3f655e671d292060","text":"{\"role\":\"system\",\"content\":\"Keep words.\"}","by":"instructions"}',X'E143C8B58221777B5C4013659C5A436D5A3823D23B5DDFD9F40212C96B6B3A12',X'9A6A120075BE67DE3CD32F01D7DA1BCFF723DA3061A29E62EF0279544DFA63B2');
INSERT INTO "remit_items" VALUES('third',2,1,1800000059.0,'message','1cefc44e168054be3f655e671d292060','{"agent":"1cefc44e168054be3f655e671d292060","text":"{\"role\":\"user\",\"content\":\"Erase salt.\"}","by":"person"}',X'CB030B8EE569A78F3D48F1F6A431342D5242149AC014E29BBD5406384972DFDC',X'74A82DEB6C84C1E1D48B0505E2E63B6EE8095AF40BFEBD8A6B1F8B1483C39F3B');
INSERT INTO "remit_items" VALUES('third',3,1,1800000060.0,'message','1cefc44e168054be3f655e671d292060:1','{"agent":"1cefc44e168054be3f655e671d292060","text":"{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":\"call00005\",\"type\":\"function\",\"function\":{\"name\":\"erase\",\"arguments\":\"{\\\"word\\\": \\\"salt\\\"}\"}},{\"id\":\"call00006\",\"type\":\"function\",\"function\":{\"name\":\"look\",\"arguments\":\"{\\\"word\\\": \\\"salt\\\"}\"}}]}","request":"c372baf08662d155ab6423f24f058f87a116685865dddd7d4c6c9f278bbc4040"}',X'3906600F7412E0C37A55E560127C8455A78AE143F3D03F8E418AD00A95899DF7',X'9BE4DF42E4904BAEBD5FBBA8A25A2B1E3E8B6BE9FED2A3D88DDD9AA03F5B586E');
INSERT INTO "remit_items" VALUES('third',4,1,1800000061.0,'usage','1cefc44e168054be3f655e671d292060:1','{"model":"scripted (no model)","finish":"tool_calls","prompt_tokens":0,"completion_tokens":0,"response":"","requested":"scripted:scripted (no model)"}',X'689AE13A2BEBEA00D57192F40157C6D12994CD275FA905A9F27B03EE73174D68',X'A16BCCBE837FD7937CCCD5535ED254C35BDDD4496EB7A2AAC3F480947BA1AB81');
INSERT INTO "remit_items" VALUES('third',5,1,1800000062.0,'started','d70dc6573d8ff6052d698736bb89561c','{"parent":"1cefc44e168054be3f655e671d292060","callee":"look","wire":"call00006","attempt":1}',X'554E14D11D48F0A8F388C66D23E401FF93FFE0FFAE140EDF7BD32280F6678DA8',X'B13CB0C87FDA7128C86776CD9389F9B1CE2389DC04DB63EA6B5CD66A632A078A');
INSERT INTO "remit_items" VALUES('third',6,1,1800000063.0,'tool_output','d70dc6573d8ff6052d698736bb89561c','{"parent":"1cefc44e168054be3f655e671d292060","callee":"look","wire":"call00006","text":"{\"role\":\"tool\",\"tool_call_id\":\"call00006\",\"content\":\"salt: a w\u00f6rd \u2014 \u8a9e\"}","outcome":"ok","final":false}',X'A045257FD973CA1B017D94B550F2EA400D01EB0CBF3BDCF86C7AFB85BF85694F',X'FAEEB6B0396554A31CAB758BFAC63CC1882C5AF04A088AF73DB3F44C8FDAE2A8');
INSERT INTO "remit_items" VALUES('third',7,1,1800000067.0,'question','f97360cfa986f5cca82bfaa86ba72579','{"parent":"1cefc44e168054be3f655e671d292060","callee":"erase","wire":"call00005","about":"approval","question":"8e378aee20d6","body":"{\"id\":\"8e378aee20d6\",\"match\":\"73a89a79dd474a3988768e4c7eae8dec\",\"kind\":\"approval\",\"tenant\":\"default\",\"conversation\":\"words\",\"run\":\"third\",\"call\":\"f97360cfa986f5cca82bfaa86ba72579\",\"agent\":\"keeper\",\"asker\":\"ada\",\"tool\":\"erase\",\"arguments\":\"{\\\"word\\\":\\\"salt\\\"}\",\"definition\":\"d5798ca9a817d8160c009a653ca84776\",\"risk\":\"high\",\"rule\":\"high risk\",\"reason\":\"erase is high-risk\",\"who\":\"approvals:decide\",\"asked\":1800000064.0,\"expires\":1800604864.0,\"waits\":true,\"four_eyes\":false,\"shown\":\"\",\"edits\":\"\",\"editor\":\"\",\"layer\":0,\"replaces\":\"\",\"changes\":[],\"link\":\"\",\"state\":\"\",\"message\":\"Erase salt.\",\"news\":[{\"where\":\"word\",\"before\":\"\\\"bread\\\"\",\"after\":\"\\\"salt\\\"\"}],\"needs\":\"approve\",\"plan\":[],\"within\":\"\",\"further_permissions\":[]}"}',X'7E519B62F2721DC46AECA457F59B8EE9AB4530EF4ACFA89723281812677B5E9F',X'6FCA281ED62EEBAD7AB1D05C292E8C3EB62A549EDA5DF343261DB33C7535A0AD');
INSERT INTO "remit_items" VALUES('third',8,1,1800000069.0,'suspended','third','{"questions":["8e378aee20d6"]}',X'285F4FB6451554B2353234A48DFC2F88544C77E170FFC58C4421224EBAF38BBE',X'DB172CC687B144AC1B6DDE5FEDD864B3B267F043316E8F1B9123566CBA9756CE');
CREATE TABLE remit_key (
	signature BLOB NOT NULL, 
	PRIMARY KEY (signature)
);
INSERT INTO "remit_key" VALUES(X'6F13BF10F1E76902C0A4943B230027DAFB65AE547E69A8A6638415283FF5F06F');
CREATE TABLE remit_questions (
	question TEXT NOT NULL, 
	run TEXT NOT NULL, 
	conversation TEXT NOT NULL, 
	"match" TEXT NOT NULL, 
	status TEXT NOT NULL, 
	asked FLOAT NOT NULL, 
	body TEXT NOT NULL, 
	decision TEXT NOT NULL, 
	taken_run TEXT NOT NULL, 
	taken_call TEXT NOT NULL, 
	signature BLOB, 
	approval TEXT DEFAULT '' NOT NULL, 
	tenant TEXT DEFAULT '' NOT NULL, 
	request_key TEXT DEFAULT '' NOT NULL, 
	expires FLOAT NOT NULL, 
	changed BIGINT NOT NULL, 
	PRIMARY KEY (question)
);
INSERT INTO "remit_questions" VALUES('18fb0984f3da','second','words','3daf56b8c3aa8521cb1b8e13dcc7711f','taken',1800000035.0,'{"id":"18fb0984f3da","match":"3daf56b8c3aa8521cb1b8e13dcc7711f","kind":"approval","tenant":"default","conversation":"words","run":"second","call":"62bd659eb4e86ea4a3eadf16703ab969","agent":"keeper","asker":"ada","tool":"erase","arguments":"{\"word\":\"bread\"}","definition":"d5798ca9a817d8160c009a653ca84776","risk":"high","rule":"high risk","reason":"erase is high-risk","who":"approvals:decide","asked":1800000035.0,"expires":1800604835.0,"waits":true,"four_eyes":false,"shown":"","edits":"","editor":"","layer":0,"replaces":"","changes":[],"link":"","state":"","message":"Erase bread.","news":[],"needs":"approve","plan":[],"within":"","further_permissions":[]}','{"question":"18fb0984f3da","approved":true,"by":"ada","result":"","reason":"it is stale","at":1800000041.0,"arguments":"","grant":"","kind":"approve"}','second','62bd659eb4e86ea4a3eadf16703ab969',X'E4D0DE1C759DAC9B31AA2FFC4F2E309E91EBA85B6C56120C528BC22A456C654F','167b378ff9603414eccd0ebc5083aa7f','default','',1800604835.0,7);
INSERT INTO "remit_questions" VALUES('8e378aee20d6','third','words','73a89a79dd474a3988768e4c7eae8dec','open',1800000064.0,'{"id":"8e378aee20d6","match":"73a89a79dd474a3988768e4c7eae8dec","kind":"approval","tenant":"default","conversation":"words","run":"third","call":"f97360cfa986f5cca82bfaa86ba72579","agent":"keeper","asker":"ada","tool":"erase","arguments":"{\"word\":\"salt\"}","definition":"d5798ca9a817d8160c009a653ca84776","risk":"high","rule":"high risk","reason":"erase is high-risk","who":"approvals:decide","asked":1800000064.0,"expires":1800604864.0,"waits":true,"four_eyes":false,"shown":"","edits":"","editor":"","layer":0,"replaces":"","changes":[],"link":"","state":"","message":"Erase salt.","news":[{"where":"word","before":"\"bread\"","after":"\"salt\""}],"needs":"approve","plan":[],"within":"","further_permissions":[]}','','','',X'ACE3C052A5B99546C8C90723DE32162860EF45271B0D473CC20B09FE6AE36773','','default','',1800604864.0,10);
CREATE TABLE remit_runs (
	run TEXT NOT NULL, 
	epoch INTEGER NOT NULL, 
	driver TEXT NOT NULL, 
	until FLOAT NOT NULL, 
	next_seq INTEGER NOT NULL, 
	status TEXT NOT NULL, 
	tenant TEXT NOT NULL, 
	principal TEXT NOT NULL, 
	application TEXT NOT NULL, 
	agent TEXT NOT NULL, 
	callee TEXT NOT NULL, 
	conversation TEXT NOT NULL, 
	"after" TEXT NOT NULL, 
	opened FLOAT NOT NULL, 
	ended FLOAT NOT NULL, 
	cancelled TEXT NOT NULL, 
	number INTEGER DEFAULT '0' NOT NULL, 
	wake FLOAT DEFAULT '0' NOT NULL, 
	signature BLOB, 
	cancel_signature BLOB, 
	target TEXT DEFAULT '' NOT NULL, 
	erased INTEGER DEFAULT 0 NOT NULL, 
	changed BIGINT NOT NULL, 
	PRIMARY KEY (run)
);
INSERT INTO "remit_runs" VALUES('first',1,'31378-v7nnt87ww8fk',0.0,26,'done','default','ada','golden','','keeper','words','',1800000000.0,1800000027.0,'',1,0.0,X'7407CE4B449ACC2B0609CD7EC6ED4B6361B9225E863129B524476B58E8A4F200',NULL,'',0,2);
INSERT INTO "remit_runs" VALUES('second',2,'31378-v7nnt87ww8fk',0.0,16,'done','default','ada','golden','','keeper','words','first',1800000028.0,1800000054.0,'',2,0.0,X'A1D8D8BC7D57A62E11410E7CA7696C28420F6D00668DA707E758C3335A3311DC',NULL,'',0,8);
INSERT INTO "remit_runs" VALUES('third',1,'31378-v7nnt87ww8fk',0.0,9,'waiting','default','ada','golden','','keeper','words','second',1800000055.0,0.0,'',3,1800604864.0,X'0E6D60C123A438C04BEFB36681BD8D18585A6F4AC89189EEF75958674B290E32',NULL,'',0,11);
CREATE TABLE remit_turns (
	rate TEXT NOT NULL, 
	lane INTEGER NOT NULL, 
	start FLOAT NOT NULL, 
	PRIMARY KEY (rate, lane)
);
CREATE TABLE remit_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT remit_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "remit_version" VALUES('0001_first');
CREATE TABLE remit_watches (
	run TEXT NOT NULL, 
	until FLOAT NOT NULL, 
	PRIMARY KEY (run)
);
CREATE INDEX remit_runs_changed ON remit_runs (tenant, changed);
CREATE INDEX remit_runs_conversation ON remit_runs (conversation, number);
CREATE INDEX remit_runs_tenant ON remit_runs (tenant, opened);
CREATE INDEX remit_runs_principal ON remit_runs (tenant, principal, opened);
CREATE INDEX remit_runs_status ON remit_runs (tenant, status, opened);
CREATE INDEX remit_runs_callee ON remit_runs (tenant, callee, opened);
CREATE INDEX remit_runs_principal_status ON remit_runs (tenant, principal, status, opened);
CREATE INDEX remit_runs_due ON remit_runs (application, wake) WHERE ended = 0;
CREATE INDEX remit_questions_changed ON remit_questions (tenant, changed);
CREATE INDEX remit_questions_expires ON remit_questions (tenant, expires) WHERE status = 'open';
CREATE INDEX remit_questions_match ON remit_questions (conversation, "match");
CREATE INDEX remit_questions_run ON remit_questions (run);
CREATE INDEX remit_questions_approval ON remit_questions (approval, asked, question);
CREATE INDEX remit_questions_tenant ON remit_questions (tenant, asked);
CREATE INDEX remit_questions_key ON remit_questions (request_key);
CREATE INDEX remit_questions_open ON remit_questions (tenant, asked) WHERE status = 'open';
CREATE INDEX remit_grants_tool ON remit_grants (tenant, tool);
CREATE INDEX remit_turns_start ON remit_turns (rate, start);
CREATE INDEX remit_conversations_changed ON remit_conversations (tenant, changed);
CREATE INDEX remit_conversations_tenant ON remit_conversations (tenant, active);
CREATE INDEX remit_artifacts_run ON remit_artifacts (run);
COMMIT;
